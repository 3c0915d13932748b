import type { Rollout, RolloutRobot, RolloutRobotState } from "@suncrew/contract/firmware/firmware.ts";
import type { Question } from "../../platform/confirm/confirm.ts";

/** Failed robots first, then those in progress. */
const order: readonly RolloutRobotState[] = [
  "FAILED",
  "INSTALLING",
  "DOWNLOADING",
  "OFFERED",
  "WAITING",
  "DONE",
  "SKIPPED",
  "CANCELLED",
];

export function inOrder(robots: readonly RolloutRobot[]): readonly RolloutRobot[] {
  return robots.toSorted(
    (one, other) =>
      order.indexOf(one.state) - order.indexOf(other.state) || one.serial_number.localeCompare(other.serial_number),
  );
}

export interface RolloutFigures {
  readonly all: number;
  readonly done: number;
  readonly failed: number;
  readonly underWay: number;
  readonly waiting: number;
  /** Skipped or cancelled: never installed. */
  readonly leftOut: number;
}

export function figuresOf({ counts }: Pick<Rollout, "counts">): RolloutFigures {
  const underWay = counts.OFFERED + counts.DOWNLOADING + counts.INSTALLING;
  const leftOut = counts.SKIPPED + counts.CANCELLED;
  const { DONE: done, FAILED: failed, WAITING: waiting } = counts;
  return { all: done + failed + underWay + waiting + leftOut, done, failed, underWay, waiting, leftOut };
}

const number = (count: number) => count.toLocaleString("en-GB");
const robots = (count: number) => `${number(count)} ${count === 1 ? "robot" : "robots"}`;

/** "12 of 200 robots done, 3 failed, 10 in progress": zero counts are omitted. */
export function figuresText({ all, done, failed, underWay, waiting, leftOut }: RolloutFigures): string {
  return [
    `${number(done)} of ${robots(all)} done`,
    failed > 0 && `${number(failed)} failed`,
    underWay > 0 && `${number(underWay)} in progress`,
    waiting > 0 && `${number(waiting)} waiting`,
    leftOut > 0 && `${number(leftOut)} left out`,
  ]
    .filter(Boolean)
    .join(", ");
}

export function resumeQuestion(rollout: Rollout): Question {
  const { waiting } = figuresOf(rollout);
  return {
    title: "Resume Rollout",
    message: `${robots(waiting)} will install firmware ${rollout.version}. A robot does not clean while it installs.`,
    confirmLabel: `Resume for ${robots(waiting)}`,
  };
}

export function cancelQuestion(rollout: Rollout): Question {
  const { waiting, underWay } = figuresOf(rollout);
  const finish = underWay === 0 ? "" : ` ${robots(underWay)} in progress will finish.`;
  return {
    title: "Cancel Rollout",
    message: `${robots(waiting)} will not install firmware ${rollout.version}.${finish} A cancelled rollout cannot be resumed.`,
    confirmLabel: "Cancel Rollout",
    cancelLabel: "Keep it",
    destructive: true,
  };
}

/** `count` robots that failed or gave up waiting. */
export function againQuestion(rollout: Rollout, count: number): Question {
  const which = count === rollout.counts.FAILED ? "failed" : "failed or gave up waiting";
  return {
    title: "Deploy Again",
    message: `${robots(count)} that ${which} will be offered firmware ${rollout.version} again, in a rollout of its own. A robot does not clean while it installs.`,
    confirmLabel: `Deploy to ${robots(count)}`,
  };
}

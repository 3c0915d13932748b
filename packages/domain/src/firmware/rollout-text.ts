import { FIRMWARE_MIN_BATTERY_PERCENT } from "@suncrew/contract/firmware/firmware.ts";
import { CLOCK_SKEW_MS, STATE_FRESH_MS } from "../commands/limits.ts";
import type { TransientCode } from "./after-report.ts";
import type { OfferCandidate, WaitReason } from "./offer-refusal.ts";

type Shown = Pick<OfferCandidate, "motion" | "status" | "batteryPercent">;

interface Words {
  /** After "Waits". */
  readonly until: string;
  /** The same once it was waited for in vain, after "Gave up waiting after 24 h:". */
  readonly was: string;
}

function wordsOf(why: WaitReason, { motion, status, batteryPercent }: Shown): Words {
  switch (why) {
    case "maintenance":
      return { until: "until it is released from maintenance", was: "it was in maintenance" };
    case "away":
      return { until: "until it is online", was: "it was not online" };
    case "stale":
      return {
        until: "until it reports again",
        was: `it had not reported for ${STATE_FRESH_MS / 1_000} s`,
      };
    case "clock":
      return {
        until: `until its clock is right: it is more than ${CLOCK_SKEW_MS / 1_000} s off`,
        was: `its clock was more than ${CLOCK_SKEW_MS / 1_000} s off`,
      };
    case "moving":
      return motion === "MOVING"
        ? { until: "until it has finished cleaning", was: "it was cleaning" }
        : { until: "until it shows whether it moves", was: "it did not show whether it moves" };
    case "commanded":
      return { until: "for a command to it that is under way", was: "a command to it was under way" };
    case "installing":
      return { until: "until its other firmware update is over", was: "its other firmware update was not over" };
    case "battery":
      return batteryWords(batteryPercent);
    case "not-idle":
      return { until: `until it is idle: its status is ${status}`, was: `its status was ${status}` };
    case "refused":
      return { until: "to be asked again: it refused a moment ago", was: "it refused" };
  }
}

function batteryWords(percent: number | null): Words {
  if (percent === null) return { until: "until it tells its battery", was: "it did not tell its battery" };
  // Never rounded up to what it needs.
  const battery = `${Math.floor(percent)} %, needs ${FIRMWARE_MIN_BATTERY_PERCENT} %`;
  return { until: `for its battery: ${battery}`, was: `its battery had ${battery}` };
}

const refusedBecause: Record<TransientCode, string> = {
  BUSY: "it was busy",
  BATTERY_LOW: "its battery was too low",
  MAINTENANCE: "it was in maintenance",
  OLD_SESSION: "it had just connected anew",
};

/** Why a robot refused an offer, as it is kept until the next one. */
export function refusedText(code: TransientCode): string {
  return refusedBecause[code];
}

/** What a robot waits for before it is offered firmware, of several the one that must end first. `refused` as kept. */
export function waitingText(why: WaitReason, robot: Shown, refused: string | null = null): string {
  if (why === "refused" && refused !== null) return `Waits to be asked again: ${refused}`;
  return `Waits ${wordsOf(why, robot).until}`;
}

/** Why a robot was left out in the end. */
export function gaveUpText(why: WaitReason, robot: Shown, limitHours: number, refused: string | null = null): string {
  const was = why === "refused" && refused !== null ? refused : wordsOf(why, robot).was;
  return `Gave up waiting after ${limitHours} h: ${was}`;
}

/** How a rollout stands for a robot that could take its offer now. */
export interface RolloutTurn {
  readonly paused: boolean;
  /** Suncrew reaches the broker, and robots could reach Suncrew. */
  readonly canSend: boolean;
  /** Robots that were offered it and have not ended. */
  readonly open: number;
  readonly done: number;
}

export function turnText({ paused, canSend, open, done }: RolloutTurn): string {
  if (paused) return "Waits until the rollout is resumed";
  if (!canSend) return "Waits until Suncrew can reach robots again";
  if (open === 0) return "Waits for its offer, which is next";
  return done === 0 ? "Waits for the first robot to run it" : "Waits for its turn after the batch under way";
}

const HOUR_MS = 3_600_000;

/** Whether robots that cannot be offered it are waited for no longer; `since` is when it began, or was last resumed. */
export function isWaitOver(since: Date, limitHours: number, now: Date): boolean {
  return now.getTime() - since.getTime() >= limitHours * HOUR_MS;
}

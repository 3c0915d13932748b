import type { FirmwareCode } from "@suncrew/contract/devices/messages.ts";
import { FIRMWARE_MIN_BATTERY_PERCENT } from "@suncrew/contract/firmware/firmware.ts";
import { CLOCK_SKEW_MS, STATE_FRESH_MS } from "../devices/protocol-times.ts";
import { type CodedText, textsOf } from "@suncrew/contract/http/coded-text.ts";
import type { OfferCandidate, SkipReason, WaitReason } from "./offer-refusal.ts";
import type { ReportOutcome, TransientCode } from "./report-outcome.ts";
import type { RolloutStep } from "./rollout-step.ts";

type Shown = Pick<OfferCandidate, "motion" | "status" | "batteryPercent">;

interface WaitTexts {
  /** To follow "Waits". */
  readonly until: string;
  /** To follow "Gave up waiting after 24 h:". */
  readonly was: string;
}

function waitTextsOf(why: WaitReason, { motion, status, batteryPercent }: Shown): WaitTexts {
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
        : { until: "until it shows whether it is moving", was: "it did not show whether it was moving" };
    case "commanded":
      return { until: "for a command in progress", was: "a command was in progress" };
    case "installing":
      return { until: "until its other firmware update is over", was: "its other firmware update was not over" };
    case "battery":
      return batteryTexts(batteryPercent);
    case "not-idle":
      return { until: `until it is idle: its status is ${status}`, was: `its status was ${status}` };
    case "refused":
      return { until: "to be offered it again: it refused a moment ago", was: "it refused" };
  }
}

function batteryTexts(percent: number | null): WaitTexts {
  if (percent === null) return { until: "until it reports its battery", was: "it did not report its battery" };
  // Never rounded up to what it needs.
  const battery = `${Math.floor(percent)} %, needs ${FIRMWARE_MIN_BATTERY_PERCENT} %`;
  return { until: `for its battery: ${battery}`, was: `its battery had ${battery}` };
}

const refusedBecause = new Map(
  Object.entries({
    BUSY: "it was busy",
    BATTERY_LOW: "its battery was too low",
    MAINTENANCE: "it was in maintenance",
    OLD_SESSION: "it had just reconnected",
  } satisfies Record<TransientCode, string>),
);

/** Why it refused its last offer; a server of a newer version may have stored another code. */
function refusal(code: string): string {
  return refusedBecause.get(code) ?? "it refused";
}

/** Why a robot did not accept the firmware, or could not install it. */
const failedBecause: Record<FirmwareCode, string> = {
  HASH_MISMATCH: "What it downloaded is not what was offered.",
  DOWNLOAD_FAILED: "The download failed.",
  NO_SPACE: "It has no space for it.",
  INSTALL_FAILED: "The installation failed; it keeps the firmware it had.",
  BUSY: "It was busy.",
  BATTERY_LOW: "Its battery was too low.",
  MAINTENANCE: "It was in maintenance.",
  EXPIRED: "The offer reached it too late, or its clock is wrong.",
  OLD_SESSION: "It had reconnected in the meantime.",
  CLOCK_NOT_SET: "Its clock is not set.",
  INVALID: "It did not understand the offer.",
  REFUSED: "It refused and gave no reason.",
};

interface GaveUp extends Shown {
  readonly [name: string]: string | number | null;
  readonly why: WaitReason;
  readonly limitHours: number;
  /** Its last refusal, where that is why. */
  readonly refusedAs: string | null;
}

/**
 * The reasons that are stored with rollouts and their robots. A code keeps its parameters for good, because stored rows
 * have them.
 */
export const rolloutTexts = textsOf({
  FIRST_ROBOT_FAILED: () => "The first robot failed.",
  TOO_MANY_FAILED: ({ percent }: { readonly percent: number }) => `More than ${percent} % of the robots failed.`,
  RESTORED: () => "Suncrew was restored from a backup: look at the robots' firmware before you resume it.",
  ROBOT_DELETED: () => "The robot was deleted.",
  DEVICE_REPLACED: () => "The robot has been given another device.",
  DEVICE_RETIRED: () => "Its device was retired.",
  ALREADY_INSTALLED: ({ version }: { readonly version: string }) => `It already runs ${version}.`,
  /** Until its next offer; it follows other words. */
  OFFER_REFUSED: ({ code }: { readonly code: TransientCode }) => refusal(code),
  UPDATE_FAILED: ({ code }: { readonly code: FirmwareCode }) => failedBecause[code],
  UPDATE_OVERDUE: ({ version, minutes }: { readonly version: string; readonly minutes: number }) =>
    `It did not show within ${minutes} ${minutes === 1 ? "minute" : "minutes"} that it runs ${version}.`,
  GAVE_UP: ({ why, limitHours, refusedAs, ...robot }: GaveUp) => {
    const was = why === "refused" && refusedAs !== null ? refusal(refusedAs) : waitTextsOf(why, robot).was;
    return `Gave up waiting after ${limitHours} h: ${was}`;
  },
});

/** Why a rollout is paused. */
export function pausedText(
  why: Extract<RolloutStep, { kind: "pause" }>["why"],
  failureThresholdPercent: number,
): CodedText {
  return why === "canary"
    ? rolloutTexts.text("FIRST_ROBOT_FAILED", {})
    : rolloutTexts.text("TOO_MANY_FAILED", { percent: failureThresholdPercent });
}

/** The codes of `pausedText`. */
export const selfPausedCodes: readonly string[] = ["FIRST_ROBOT_FAILED", "TOO_MANY_FAILED"] satisfies ReturnType<
  typeof rolloutTexts.text
>["code"][];

/** Why a robot is skipped for good. */
export function skippedText(why: SkipReason, version: string): CodedText {
  switch (why) {
    case "deleted":
      return rolloutTexts.text("ROBOT_DELETED", {});
    case "replaced":
      return rolloutTexts.text("DEVICE_REPLACED", {});
    case "retired":
      return rolloutTexts.text("DEVICE_RETIRED", {});
    case "has-it":
      return rolloutTexts.text("ALREADY_INSTALLED", { version });
  }
}

/** Why a robot refused its offer or could not install the firmware; null while it downloads and installs. */
export function reportText(outcome: ReportOutcome): CodedText | null {
  if (outcome.state === "WAITING") return rolloutTexts.text("OFFER_REFUSED", { code: outcome.code });
  return outcome.state === "FAILED" ? rolloutTexts.text("UPDATE_FAILED", { code: outcome.code }) : null;
}

/** A robot's deadline passed without it showing the new version. */
export function overdueText(version: string, deadlineMinutes: number): CodedText {
  return rolloutTexts.text("UPDATE_OVERDUE", { version, minutes: deadlineMinutes });
}

/** Why Suncrew gave up waiting for a robot; `refusedAs` is its last refusal. */
export function gaveUpText(
  why: WaitReason,
  { motion, status, batteryPercent }: Shown,
  limitHours: number,
  refusedAs: string | null = null,
): CodedText {
  return rolloutTexts.text("GAVE_UP", { why, limitHours, refusedAs, motion, status, batteryPercent });
}

/** What a robot waits for before it is offered firmware; `refusedAs` is its last refusal. */
export function waitingText(why: WaitReason, robot: Shown, refusedAs: string | null = null): string {
  if (why === "refused" && refusedAs !== null) return `Waits to be offered it again: ${refusal(refusedAs)}`;
  return `Waits ${waitTextsOf(why, robot).until}`;
}

/** What a robot that could accept its offer now depends on. */
export interface RolloutTurn {
  readonly paused: boolean;
  /** Suncrew is connected to the broker, and robots could reach Suncrew. */
  readonly canSend: boolean;
  /** Robots with an open offer, downloading or installing. */
  readonly open: number;
  readonly done: number;
}

export function turnText({ paused, canSend, open, done }: RolloutTurn): string {
  if (paused) return "Waits until the rollout is resumed";
  if (!canSend) return "Waits until Suncrew can reach robots again";
  if (open === 0) return "Waits for its offer, which is next";
  return done === 0 ? "Waits for the first robot to run it" : "Waits for its turn after the current batch";
}

const HOUR_MS = 3_600_000;

/** Whether to give up robots that cannot be offered it; `since` is when the rollout began, or was last resumed. */
export function isWaitOver(since: Date, limitHours: number, now: Date): boolean {
  return now.getTime() - since.getTime() >= limitHours * HOUR_MS;
}

import type { FirmwareCode } from "@suncrew/contract/devices/messages.ts";
import type { RolloutState } from "@suncrew/contract/firmware/firmware.ts";
import type { SkipReason } from "@suncrew/domain/firmware/offer-refusal.ts";

/** Why a robot is left out for good. */
export const skippedSentences: Record<SkipReason, (version: string) => string> = {
  deleted: () => "The robot was deleted.",
  replaced: () => "The robot has another device since.",
  retired: () => "Its device was retired.",
  "has-it": (version) => `It runs ${version} already.`,
};

/** Why a robot did not take the firmware, or could not install it. */
export const codeSentences: Record<FirmwareCode, string> = {
  HASH_MISMATCH: "What it downloaded is not what was offered.",
  DOWNLOAD_FAILED: "The download failed.",
  NO_SPACE: "It has no space for it.",
  INSTALL_FAILED: "The installation failed; it keeps the firmware it had.",
  BUSY: "It was busy.",
  BATTERY_LOW: "Its battery was too low.",
  MAINTENANCE: "It was in maintenance.",
  EXPIRED: "The offer reached it too late, or its clock is wrong.",
  OLD_SESSION: "It had connected anew meanwhile.",
  CLOCK_NOT_SET: "Its clock is not set.",
  INVALID: "It did not understand the offer.",
  REFUSED: "It refused and gave no reason.",
};

export const minutes = (count: number) => `${count} ${count === 1 ? "minute" : "minutes"}`;

export const firmwareSentences = {
  uploaded: (version: string) => `Firmware ${version} was uploaded.`,
  uploadedBefore: (version: string) => `Firmware ${version} was uploaded before.`,
  otherContent: (version: string) =>
    `Firmware ${version} is there already with other content. Give this file another version.`,
  deleted: (version: string) => `Firmware ${version} was deleted.`,
  needed: (version: string) => `Firmware ${version} is being deployed. Cancel its rollout first.`,
  noPublicUrl:
    "Robots cannot download firmware: this server does not know its own address. Set PUBLIC_URL to the address at which robots reach it.",
  begun: (robots: number) => `Deploying firmware to ${robots} robot(s).`,
  elsewhere: (serials: readonly string[], more: number) =>
    `${serials.length === 1 ? "Robot" : "Robots"} ${serials.join(", ")}${more > 0 ? ` and ${more} more` : ""} ${
      serials.length + more === 1 ? "is" : "are"
    } in another rollout that has not ended.`,
  silent: (version: string, deadlineMinutes: number) =>
    `It did not show within ${minutes(deadlineMinutes)} that it runs ${version}.`,
  canaryFailed: "The first robot failed.",
  thresholdPassed: (percent: number) => `More than ${percent} % of the robots failed.`,
  badAddress: "This address is not valid.",
  expiredAddress: "This address has expired.",
  closedOffer: "This offer is over.",
} as const;

export const steeredSentences: Record<"PAUSE" | "RESUME" | "CANCEL", string> = {
  PAUSE: "The rollout is paused. Robots that were offered the firmware already finish.",
  RESUME: "The rollout goes on.",
  CANCEL: "The rollout is cancelled. Robots that were offered the firmware already finish.",
};

export const ENDED_WORDS: Record<Extract<RolloutState, "DONE" | "CANCELLED">, string> = {
  DONE: "The rollout has ended.",
  CANCELLED: "The rollout was cancelled.",
};

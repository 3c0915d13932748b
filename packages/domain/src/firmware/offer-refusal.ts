import type { DeviceMode } from "@suncrew/contract/devices/messages.ts";
import { FIRMWARE_MIN_BATTERY_PERCENT } from "@suncrew/contract/firmware/firmware.ts";
import type { Motion, OperatingMode, RobotStatus } from "@suncrew/contract/robots/robots.ts";
import { CLOCK_SKEW_MS, STATE_FRESH_MS } from "../commands/limits.ts";

/** What the server knows of a robot of a rollout; for an offer it is read under the lock on the robot's row. */
export interface OfferCandidate {
  readonly deleted: boolean;
  /** It has another device than when the rollout was made. */
  readonly replaced: boolean;
  readonly deviceRetired: boolean;
  /** As last reported; null if it never was. */
  readonly firmware: string | null;
  readonly operatingMode: OperatingMode;
  readonly deviceMode: DeviceMode | null;
  readonly online: boolean;
  /** Server receipt of the last live state of the current session; null if there was none. */
  readonly liveStateAt: Date | null;
  readonly clockSkewMs: number | null;
  readonly motion: Motion | null;
  readonly status: RobotStatus;
  readonly hasOpenCommand: boolean;
  /** An earlier update failed by its deadline, and the robot may still be installing it. */
  readonly stillInstalling: boolean;
  readonly batteryPercent: number | null;
  /** It recently refused an offer, and is not offered firmware again until then. */
  readonly waitUntil: Date | null;
}

/** Reasons for which a robot never takes the firmware in this rollout; all others pass. */
export type SkipReason = "deleted" | "replaced" | "retired" | "has-it";
export type WaitReason =
  | "maintenance"
  | "away"
  | "stale"
  | "clock"
  | "moving"
  | "commanded"
  | "installing"
  | "not-idle"
  | "battery"
  | "refused";
export type OfferRefusal =
  | { readonly kind: "skip"; readonly why: SkipReason }
  | { readonly kind: "wait"; readonly why: WaitReason };

/**
 * Protocol rule 13: why a robot is not offered this version now, or null where it may be; of several reasons the one to
 * be dealt with first.
 */
export function offerRefusal(robot: OfferCandidate, version: string, now: Date): OfferRefusal | null {
  const skipped = skippedAs(robot, version);
  if (skipped !== null) return { kind: "skip", why: skipped };
  const waits = waitsFor(robot, now);
  return waits === null ? null : { kind: "wait", why: waits };
}

function skippedAs(robot: OfferCandidate, version: string): SkipReason | null {
  if (robot.deleted) return "deleted";
  if (robot.replaced) return "replaced";
  if (robot.deviceRetired) return "retired";
  return robot.firmware === version ? "has-it" : null;
}

function waitsFor(robot: OfferCandidate, now: Date): WaitReason | null {
  if (robot.operatingMode === "maintenance" || robot.deviceMode === "MAINTENANCE") return "maintenance";
  if (!robot.online || robot.liveStateAt === null) return "away";
  if (now.getTime() - robot.liveStateAt.getTime() > STATE_FRESH_MS) return "stale";
  if (robot.clockSkewMs !== null && Math.abs(robot.clockSkewMs) > CLOCK_SKEW_MS) return "clock";
  if (robot.motion !== "STOPPED") return "moving";
  if (robot.hasOpenCommand) return "commanded";
  if (robot.stillInstalling) return "installing";
  // A low battery is also a warning, but says more; the warning ends with it.
  if (robot.batteryPercent === null || robot.batteryPercent < FIRMWARE_MIN_BATTERY_PERCENT) return "battery";
  if (robot.status !== "idle") return "not-idle";
  return robot.waitUntil !== null && now < robot.waitUntil ? "refused" : null;
}

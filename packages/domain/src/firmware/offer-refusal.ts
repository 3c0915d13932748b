import type { DeviceMode, OperatingMode } from "@suncrew/contract/robots/robot-mode.ts";
import { FIRMWARE_MIN_BATTERY_PERCENT } from "@suncrew/contract/firmware/firmware.ts";
import type { Motion, RobotStatus } from "@suncrew/contract/robots/robots.ts";
import { CLOCK_SKEW_MS, STATE_FRESH_MS } from "../devices/protocol-times.ts";

/** The state of a robot in a rollout; for an offer it is read while the robot's row is locked. */
export interface OfferCandidate {
  readonly deleted: boolean;
  /** Its device has changed since the rollout was created. */
  readonly replaced: boolean;
  readonly deviceRetired: boolean;
  /** As last reported; null if never reported. */
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
  /** It refused an offer recently and gets no new one before this time. */
  readonly waitUntil: Date | null;
}

/** Permanent reasons to skip a robot in this rollout; all others are temporary. */
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
 * Protocol rule 13: why a robot cannot be offered this version now, or null if it can; of several reasons, the one to
 * deal with first.
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
  // A low battery is also a warning, but more specific; the warning clears with it.
  if (robot.batteryPercent === null || robot.batteryPercent < FIRMWARE_MIN_BATTERY_PERCENT) return "battery";
  if (robot.status !== "idle") return "not-idle";
  return robot.waitUntil !== null && now < robot.waitUntil ? "refused" : null;
}

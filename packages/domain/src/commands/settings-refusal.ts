import type { DeviceMode } from "@suncrew/contract/devices/messages.ts";
import type { OperatingMode } from "@suncrew/contract/robots/robots.ts";
import { STATE_FRESH_MS } from "./limits.ts";

/** What the server knows of a robot whose settings are to change, read under the lock on the robot's row. */
export interface SettingsCandidate {
  /** Its device was retired: it is never commanded again. */
  readonly deviceRetired: boolean;
  readonly online: boolean;
  readonly operatingMode: OperatingMode;
  readonly deviceMode: DeviceMode | null;
  readonly liveStateAt: Date | null;
  readonly hasUnsettledMaintenanceOn: boolean;
}

export type SettingsRefusal = "retired" | "maintenance" | "away" | "stale";

/** Why a SET is refused now, or null where it may be sent: a robot that moves takes it, one that is not there cannot. */
export function settingsRefusal(robot: SettingsCandidate, now: Date): SettingsRefusal | null {
  if (robot.deviceRetired) return "retired";
  if (robot.operatingMode === "maintenance" || robot.deviceMode === "MAINTENANCE" || robot.hasUnsettledMaintenanceOn) {
    return "maintenance";
  }
  if (!robot.online || robot.liveStateAt === null) return "away";
  return now.getTime() - robot.liveStateAt.getTime() > STATE_FRESH_MS ? "stale" : null;
}

import type { DeviceMode, OperatingMode } from "@suncrew/contract/robots/robot-mode.ts";
import type { Motion } from "@suncrew/contract/robots/robots.ts";
import { type TimedJudgement, verdictNow } from "../guard/weather-guard.ts";
import { CLOCK_SKEW_MS, STATE_FRESH_MS } from "../devices/protocol-times.ts";

/** What the server knows about a robot when it decides, read under the lock on the robot's row. */
export interface StartCandidate {
  /** Its device was retired: it is never commanded again. */
  readonly deviceRetired: boolean;
  readonly online: boolean;
  readonly motion: Motion | null;
  readonly operatingMode: OperatingMode;
  readonly deviceMode: DeviceMode | null;
  /** Server receipt of the last live (not retained) state of the current session; null if there was none. */
  readonly liveStateAt: Date | null;
  /** Robot's clock minus the server's at that state, in milliseconds. */
  readonly clockSkewMs: number | null;
  /** It was offered new firmware and does not run it yet (rule 13). */
  readonly installing: boolean;
  /** The newest judgement of its site's wind and rain guard; null if the site has no limits. */
  readonly weather: TimedJudgement | null;
  readonly hasOpenStart: boolean;
  readonly hasUnsettledStop: boolean;
  readonly hasUnsettledMaintenanceOn: boolean;
}

export type StartRefusal =
  | "retired"
  | "maintenance"
  | "installing"
  | "weather-limit"
  | "weather-unknown"
  | "away"
  | "stale"
  | "moving"
  | "start-open"
  | "stop-unsettled"
  | "clock";

/**
 * Protocol rules 2, 8, 9, 12 and 13, and the weather limits of the site: why a START is refused now, or null if it may be
 * sent.
 */
export function startRefusal(robot: StartCandidate, now: Date): StartRefusal | null {
  if (robot.deviceRetired) return "retired";
  if (robot.operatingMode === "maintenance" || robot.deviceMode === "MAINTENANCE" || robot.hasUnsettledMaintenanceOn) {
    return "maintenance";
  }
  // Checked before being offline: it restarts with the new firmware.
  if (robot.installing) return "installing";
  const weather = robot.weather === null ? "CLEAR" : verdictNow(robot.weather, now);
  // Before anything that passes by itself: no run is waited for in a storm.
  if (weather === "PASSED") return "weather-limit";
  if (!robot.online || robot.liveStateAt === null) return "away";
  if (robot.hasUnsettledStop) return "stop-unsettled";
  if (robot.hasOpenStart) return "start-open";
  if (robot.motion === "MOVING") return "moving";
  // A state in the future was dated before the clock was set back, and says nothing about now.
  if (Math.abs(now.getTime() - robot.liveStateAt.getTime()) > STATE_FRESH_MS) return "stale";
  if (robot.clockSkewMs !== null && Math.abs(robot.clockSkewMs) > CLOCK_SKEW_MS) return "clock";
  return weather === "UNKNOWN" ? "weather-unknown" : null;
}

/** What decides whether a robot may be sent new settings. */
type SettingsCandidate = Pick<
  StartCandidate,
  "deviceRetired" | "online" | "operatingMode" | "deviceMode" | "liveStateAt" | "hasUnsettledMaintenanceOn"
>;

export type SettingsRefusal = "retired" | "maintenance" | "away" | "stale";

/**
 * Why a SET is refused now, or null if it may be sent: a moving robot accepts it, a robot that is not connected cannot.
 */
export function settingsRefusal(robot: SettingsCandidate, now: Date): SettingsRefusal | null {
  if (robot.deviceRetired) return "retired";
  if (robot.operatingMode === "maintenance" || robot.deviceMode === "MAINTENANCE" || robot.hasUnsettledMaintenanceOn) {
    return "maintenance";
  }
  if (!robot.online || robot.liveStateAt === null) return "away";
  return now.getTime() - robot.liveStateAt.getTime() > STATE_FRESH_MS ? "stale" : null;
}

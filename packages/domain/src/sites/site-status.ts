import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { OperatingMode } from "@suncrew/contract/robots/robot-mode.ts";
import type { SiteStatus } from "@suncrew/contract/sites/sites.ts";

export interface CountedRobot {
  readonly status: RobotStatus;
  readonly operatingMode: OperatingMode;
  /** It has never reported: nothing has failed there yet. */
  readonly awaitsFirstConnection?: boolean;
}

interface SiteCounters {
  readonly robotCount: number;
  /** Robots with status normal (§4). */
  readonly activeRobots: number;
  /** Robots normal or idle (§4). */
  readonly onlineRobots: number;
}

export function siteCountersOf(robots: readonly CountedRobot[]): SiteCounters {
  const activeRobots = robots.filter((robot) => robot.status === "normal").length;
  const idleRobots = robots.filter((robot) => robot.status === "idle").length;
  return { robotCount: robots.length, activeRobots, onlineRobots: activeRobots + idleRobots };
}

/**
 * Fault or warning if any robot has one, then normal if any robot is, else standby; robots in maintenance, or that have
 * never reported, cause neither fault nor warning.
 */
export function siteStatusOf(robots: readonly CountedRobot[]): SiteStatus {
  const counted = robots.filter(
    ({ operatingMode, awaitsFirstConnection = false }) => operatingMode !== "maintenance" && !awaitsFirstConnection,
  );
  if (counted.some((robot) => robot.status === "critical")) return "fault";
  if (counted.some((robot) => robot.status === "warning" || robot.status === "offline")) return "warning";
  return robots.some((robot) => robot.status === "normal") ? "normal" : "standby";
}

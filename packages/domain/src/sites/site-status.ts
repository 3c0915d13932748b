import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { OperatingMode } from "@suncrew/contract/robots/robot-mode.ts";
import type { SiteStatus } from "@suncrew/contract/sites/sites.ts";
import type { KnownMotion } from "../robots/lost-while-moving.ts";

export interface CountedRobot {
  readonly status: RobotStatus;
  readonly operatingMode: OperatingMode;
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

/** Fault or warning if any robot has one, then normal if any robot is, else standby; robots in maintenance cause neither fault nor warning. */
export function siteStatusOf(robots: readonly CountedRobot[]): SiteStatus {
  const counted = robots.filter((robot) => robot.operatingMode !== "maintenance");
  if (counted.some((robot) => robot.status === "critical")) return "fault";
  if (counted.some((robot) => robot.status === "warning" || robot.status === "offline")) return "warning";
  return robots.some((robot) => robot.status === "normal") ? "normal" : "standby";
}

export interface FleetRobot {
  readonly status: RobotStatus;
  readonly operatingMode: OperatingMode;
  readonly motion: KnownMotion | null;
  readonly online: boolean;
}

/** The dashboard's figures; each robot counts in exactly one. */
export interface FleetFigures {
  /** Lost while moving and not certain to have stopped (protocol rule 13). */
  readonly mayBeMoving: number;
  readonly cleaning: number;
  readonly idle: number;
  readonly needsAttention: number;
  readonly offline: number;
}

export type FleetFigure = keyof FleetFigures;

/** Cleaning is determined by motion, never by the status text; warning and critical need attention. */
export function fleetFigureOf(robot: FleetRobot): FleetFigure {
  if (robot.motion === "MAY_BE_MOVING") return "mayBeMoving";
  if (robot.status === "warning" || robot.status === "critical") return "needsAttention";
  // Includes a locked robot that has not stopped yet, whose status is always offline.
  if (robot.online && robot.motion === "MOVING") return "cleaning";
  return !robot.online || robot.status === "offline" ? "offline" : "idle";
}

export function fleetFiguresOf(robots: readonly FleetRobot[]): FleetFigures {
  const figures = { mayBeMoving: 0, cleaning: 0, idle: 0, needsAttention: 0, offline: 0 };
  for (const robot of robots) figures[fleetFigureOf(robot)] += 1;
  return figures;
}

import type { Motion, OperatingMode, RobotStatus } from "@suncrew/contract/robots/robots.ts";

export interface FleetRobot {
  readonly status: RobotStatus;
  readonly operatingMode: OperatingMode;
  readonly motion: Motion | null;
  readonly online: boolean;
}

/** The dashboard's figures; each robot counts in exactly one. */
export interface FleetFigures {
  readonly cleaning: number;
  readonly idle: number;
  readonly needsAttention: number;
  readonly offline: number;
}

export type FleetFigure = keyof FleetFigures;

/** Cleaning is told by motion, never by the status text; warning and critical want somebody's attention. */
export function fleetFigureOf(robot: FleetRobot): FleetFigure {
  if (robot.status === "warning" || robot.status === "critical") return "needsAttention";
  if (!robot.online || robot.status === "offline") return "offline";
  return robot.motion === "MOVING" ? "cleaning" : "idle";
}

export function fleetFiguresOf(robots: readonly FleetRobot[]): FleetFigures {
  const figures = { cleaning: 0, idle: 0, needsAttention: 0, offline: 0 };
  for (const robot of robots) figures[fleetFigureOf(robot)] += 1;
  return figures;
}

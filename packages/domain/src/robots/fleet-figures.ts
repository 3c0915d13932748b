import type { OperatingMode } from "@suncrew/contract/robots/robot-mode.ts";
import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { KnownMotion } from "./lost-while-moving.ts";

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
  /** Locked, and not moving. */
  readonly maintenance: number;
}

export type FleetFigure = keyof FleetFigures;

/** Cleaning is determined by motion, never by the status text; warning and critical need attention. */
export function fleetFigureOf(robot: FleetRobot): FleetFigure {
  if (robot.motion === "MAY_BE_MOVING") return "mayBeMoving";
  const isMoving = robot.online && robot.motion === "MOVING";
  // Its status is always offline; until it has stopped it counts as what it does.
  if (robot.operatingMode === "maintenance" && !isMoving) return "maintenance";
  if (robot.status === "warning" || robot.status === "critical") return "needsAttention";
  if (isMoving) return "cleaning";
  return !robot.online || robot.status === "offline" ? "offline" : "idle";
}

export function fleetFiguresOf(robots: Iterable<FleetRobot>): FleetFigures {
  const figures = { mayBeMoving: 0, cleaning: 0, idle: 0, needsAttention: 0, offline: 0, maintenance: 0 };
  for (const robot of robots) figures[fleetFigureOf(robot)] += 1;
  return figures;
}

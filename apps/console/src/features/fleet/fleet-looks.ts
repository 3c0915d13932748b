import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import {
  type FleetFigure,
  fleetFigureOf,
  type FleetFigures,
  type FleetRobot,
  fleetFiguresOf as countFigures,
} from "@suncrew/domain/robots/fleet-figures.ts";
import { knownMotionOf } from "@suncrew/domain/robots/lost-while-moving.ts";
import { IconSparkles, IconTool } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import { statusLooks } from "../../ui/status-looks.ts";

/** The fleet figures, in order. */
export const fleetFigureLook: Record<FleetFigure, Look> = {
  mayBeMoving: statusLooks.mayBeMoving,
  cleaning: { label: "Cleaning", tone: "good", icon: IconSparkles },
  idle: statusLooks.idle,
  needsAttention: { ...statusLooks.warning, label: "Need attention" },
  offline: statusLooks.offline,
  maintenance: { label: "In maintenance", tone: "plain", icon: IconTool },
};

export const FLEET_FIGURES: readonly FleetFigure[] = [
  "mayBeMoving",
  "cleaning",
  "idle",
  "needsAttention",
  "offline",
  "maintenance",
];

/** As addresses name them. */
export const FIGURE_NAMES: Record<FleetFigure, string> = {
  mayBeMoving: "may-be-moving",
  cleaning: "cleaning",
  idle: "idle",
  needsAttention: "attention",
  offline: "offline",
  maintenance: "maintenance",
};

function fleetRobotOf(robot: RobotLive): FleetRobot {
  return {
    status: robot.status,
    operatingMode: robot.operating_mode,
    motion: knownMotionOf(robot.motion, robot.lost_while_moving),
    online: robot.online,
  };
}

/** The figure that a robot counts in, as the server last reported it. */
export function figureOf(robot: RobotLive): FleetFigure {
  return fleetFigureOf(fleetRobotOf(robot));
}

export function fleetFiguresOf(robots: Iterable<RobotLive>): FleetFigures {
  return countFigures(fleetRobotsOf(robots));
}

function* fleetRobotsOf(robots: Iterable<RobotLive>): Iterable<FleetRobot> {
  for (const robot of robots) yield fleetRobotOf(robot);
}

import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { knownMotionOf } from "@suncrew/domain/robots/lost-while-moving.ts";
import {
  type FleetFigure,
  fleetFigureOf,
  type FleetFigures,
  fleetFiguresOf,
  type FleetRobot,
} from "@suncrew/domain/sites/site-status.ts";
import { useMemo } from "react";
import { liveStore, useLiveVersion } from "../../platform/live/live.ts";

export interface Fleet {
  /** Null before the first live snapshot. */
  readonly figures: FleetFigures | null;
  /** The sites that have a robot of the chosen figure; null where none is chosen. */
  readonly siteIds: ReadonlySet<number> | null;
}

function fleetRobotOf(robot: RobotLive): FleetRobot {
  return {
    status: robot.status,
    operatingMode: robot.operating_mode,
    motion: knownMotionOf(robot.motion, robot.lost_while_moving),
    online: robot.online,
  };
}

/** The sites that have a robot of the figure now. */
export function siteIdsOf(figure: FleetFigure): ReadonlySet<number> {
  const matching = [...liveStore.robots()].filter((robot) => fleetFigureOf(fleetRobotOf(robot)) === figure);
  return new Set(matching.map((robot) => robot.site_id));
}

/** Figures over every robot the user may see; computed again after each flush of the stream. */
export function useFleet(chosen: FleetFigure | null): Fleet {
  const version = useLiveVersion();
  return useMemo(() => {
    const robots = [...liveStore.robots()];
    if (version === 0) return { figures: null, siteIds: null };
    const figures = fleetFiguresOf(robots.map((robot) => fleetRobotOf(robot)));
    if (chosen === null) return { figures, siteIds: null };
    return { figures, siteIds: siteIdsOf(chosen) };
  }, [version, chosen]);
}

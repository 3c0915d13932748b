import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { fleetFigureOf, fleetFiguresOf } from "@suncrew/domain/sites/fleet-figures.ts";
import type { FleetFigure, FleetFigures, FleetRobot } from "@suncrew/domain/sites/fleet-figures.ts";
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
    motion: robot.motion,
    online: robot.online,
  };
}

/** Figures over every robot the user may see; computed again after each flush of the stream. */
export function useFleet(chosen: FleetFigure | null): Fleet {
  const version = useLiveVersion();
  return useMemo(() => {
    const robots = [...liveStore.robots()];
    if (version === 0) return { figures: null, siteIds: null };
    const figures = fleetFiguresOf(robots.map((robot) => fleetRobotOf(robot)));
    if (chosen === null) return { figures, siteIds: null };
    const matching = robots.filter((robot) => fleetFigureOf(fleetRobotOf(robot)) === chosen);
    return { figures, siteIds: new Set(matching.map((robot) => robot.site_id)) };
  }, [version, chosen]);
}

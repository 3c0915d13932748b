import { type DemoPark, demoParks } from "./demo-parks.ts";
import { type DemoRobot, demoRobots, demoSerials } from "./demo-robots.ts";
import { generatedParks } from "./generated-parks.ts";
import { generatedRobots } from "./generated-robots.ts";

/** How large a demo is. */
export interface FleetSize {
  readonly sites: number;
  readonly robots: number;
}

export const usualFleet: FleetSize = { sites: demoParks.length, robots: demoRobots.length };

export interface DemoFleet {
  readonly parks: readonly DemoPark[];
  readonly robots: readonly DemoRobot[];
  /** The devices that sign in to the broker: the robots', and those of SCR-1001 to SCR-1020 that no robot carries. */
  readonly serials: readonly string[];
}

/** The demo of a size: the parks and robots that were made by hand first, invented ones after them. */
export function demoFleet({ sites, robots }: FleetSize): DemoFleet {
  const byHand = demoRobots.filter(({ park }) => park < sites).slice(0, robots);
  const parks = [...demoParks.slice(0, sites), ...generatedParks(Math.max(0, sites - demoParks.length))];
  const generated = generatedRobots(robots - byHand.length, parks);
  return {
    parks,
    robots: [...byHand, ...generated],
    serials: [...demoSerials, ...generated.map(({ serial }) => serial)],
  };
}

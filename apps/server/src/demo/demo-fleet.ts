import type { CommandMode } from "@suncrew/contract/robots/robot-mode.ts";
import { type DemoPark, demoParks, generatedParks } from "./demo-parks.ts";
import { oneOf, seededRandom, integerBetween } from "../platform/seeded-random.ts";

/** The initial state of a simulated robot; all but `away` can be changed at the control address. */
export interface DemoRobot {
  readonly serial: string;
  /** Index into the demo's parks. */
  readonly park: number;
  readonly name: string;
  readonly motorType: string;
  readonly controlType: string;
  readonly installed: string;
  readonly firmware: string;
  readonly battery: number;
  readonly mode: CommandMode;
  /** In the simulator's notation; without it the robot is healthy. */
  readonly fault?: "away" | "low-battery:12" | "jam" | "warning:Brush worn";
}

const BLDC = "BLDC";
const GEARED = "DC Geared";
const STEPPER = "Stepper";

// One line each is a table to read.
// oxfmt-ignore
export const demoRobots: readonly DemoRobot[] = [
  { serial: "SCR-1001", park: 0, name: "Bhadla Row 01", motorType: BLDC, controlType: "PLC", installed: "2023-11-06", firmware: "2.4.1", battery: 92, mode: "AUTO" },
  { serial: "SCR-1002", park: 0, name: "Bhadla Row 02", motorType: BLDC, controlType: "PLC", installed: "2023-11-06", firmware: "2.4.1", battery: 78, mode: "AUTO" },
  { serial: "SCR-1003", park: 0, name: "Bhadla Row 03", motorType: GEARED, controlType: "Microcontroller", installed: "2024-02-19", firmware: "2.3.0", battery: 61, mode: "AUTO" },
  { serial: "SCR-1004", park: 0, name: "Bhadla Row 04", motorType: GEARED, controlType: "Microcontroller", installed: "2024-02-19", firmware: "2.3.0", battery: 12, mode: "AUTO", fault: "low-battery:12" },
  { serial: "SCR-1005", park: 1, name: "Pavagada Block A", motorType: BLDC, controlType: "PLC", installed: "2024-04-08", firmware: "2.4.1", battery: 88, mode: "AUTO" },
  { serial: "SCR-1006", park: 1, name: "Pavagada Block B", motorType: STEPPER, controlType: "Microcontroller", installed: "2024-04-08", firmware: "2.4.0", battery: 54, mode: "MANUAL" },
  { serial: "SCR-1007", park: 1, name: "Pavagada Block C", motorType: BLDC, controlType: "PLC", installed: "2024-06-17", firmware: "2.4.1", battery: 70, mode: "AUTO", fault: "away" },
  { serial: "SCR-1008", park: 2, name: "Kurnool East 1", motorType: GEARED, controlType: "PLC", installed: "2023-08-21", firmware: "2.2.5", battery: 66, mode: "AUTO", fault: "jam" },
  { serial: "SCR-1009", park: 2, name: "Kurnool East 2", motorType: GEARED, controlType: "PLC", installed: "2023-08-21", firmware: "2.4.1", battery: 97, mode: "AUTO" },
  { serial: "SCR-1010", park: 3, name: "Rewa Unit 1", motorType: BLDC, controlType: "Microcontroller", installed: "2024-09-30", firmware: "2.4.1", battery: 83, mode: "AUTO" },
  { serial: "SCR-1011", park: 3, name: "Rewa Unit 2", motorType: STEPPER, controlType: "Microcontroller", installed: "2024-09-30", firmware: "2.4.0", battery: 47, mode: "MANUAL" },
  { serial: "SCR-1012", park: 4, name: "Kamuthi Zone 1", motorType: BLDC, controlType: "PLC", installed: "2023-05-15", firmware: "2.3.0", battery: 74, mode: "AUTO" },
  { serial: "SCR-1014", park: 4, name: "Kamuthi Zone 2", motorType: GEARED, controlType: "PLC", installed: "2023-05-15", firmware: "2.3.0", battery: 39, mode: "AUTO" },
  { serial: "SCR-1016", park: 5, name: "Charanka Plot 7", motorType: STEPPER, controlType: "PLC", installed: "2022-12-12", firmware: "2.4.1", battery: 90, mode: "AUTO" },
];

/** The devices that every demo has: SCR-1001 to SCR-1020. */
export const demoSerials: readonly string[] = Array.from({ length: 20 }, (_, index) => `SCR-${1001 + index}`);

/** The weather sensor of the first park. */
export const demoSensor = { serial: "WX-1001", park: 0 } as const;

/** Those of them without a robot that are allocated to the partner with a sign-in; the others are the operator's. */
export const demoSerialsOfPartner: readonly string[] = ["SCR-1013", "SCR-1015", "SCR-1017"];

/** The number after those of the twenty devices that every demo has. */
const FIRST_NUMBER = 1001 + demoSerials.length;
/** A large park gets this many robots for one in a small park. */
const MAX_PARK_SIZE = 4;

const motorTypes = ["BLDC", "BLDC", "DC Geared", "Stepper"];
const controlTypes = ["PLC", "PLC", "Microcontroller"];
const firmwares = ["2.4.1", "2.4.1", "2.4.1", "2.4.0", "2.3.0", "2.2.5"];

/**
 * Invented robots, spread over the parks: large parks have more, and each has one if there are enough. Deterministic;
 * most are healthy, a few percent are not.
 */
function generatedRobots(count: number, parks: readonly DemoPark[]): DemoRobot[] {
  const robots: DemoRobot[] = [];
  const sizes = parks.map(({ name }) => integerBetween(seededRandom(`size of ${name}`), 1, MAX_PARK_SIZE));
  for (let round = 0; robots.length < count; round++) {
    for (const [park, { name, commissioning_date }] of parks.entries()) {
      if (robots.length === count) break;
      if ((sizes[park] ?? 1) <= round % MAX_PARK_SIZE) continue;
      const [place = name] = name.split(" ");
      const number = FIRST_NUMBER + robots.length;
      const serial = `SCR-${number}`;
      // Numbered across all parks, so that names stay unique even if the demo grows several times.
      robots.push({ serial, park, name: `${place} Row ${number}`, ...inventedRobot(serial, commissioning_date) });
    }
  }
  return robots;
}

function inventedRobot(serial: string, parkOpened: string): Omit<DemoRobot, "serial" | "park" | "name"> {
  const random = seededRandom(serial);
  const year = Math.max(2022, Number(parkOpened.slice(0, 4)) + 1);
  const robot = {
    motorType: oneOf(random, motorTypes),
    controlType: oneOf(random, controlTypes),
    installed: `${integerBetween(random, year, 2025)}-0${integerBetween(random, 1, 9)}-${integerBetween(random, 10, 28)}`,
    firmware: oneOf(random, firmwares),
    battery: integerBetween(random, 35, 99),
    mode: random() < 0.06 ? "MANUAL" : "AUTO",
  } as const;
  const fault = inventedFault(random());
  if (fault === undefined) return robot;
  return { ...robot, fault, ...(fault === "low-battery:12" ? { battery: 12 } : {}) };
}

/** Of a thousand robots some 25 are offline, 15 low on battery, 10 have a worn brush and 5 a jammed one. */
function inventedFault(chance: number): DemoRobot["fault"] {
  if (chance < 0.025) return "away";
  if (chance < 0.04) return "low-battery:12";
  if (chance < 0.05) return "warning:Brush worn";
  return chance < 0.055 ? "jam" : undefined;
}

export interface FleetSize {
  readonly sites: number;
  readonly robots: number;
}

export const defaultFleet: FleetSize = { sites: demoParks.length, robots: demoRobots.length };

export interface DemoFleet {
  readonly parks: readonly DemoPark[];
  readonly robots: readonly DemoRobot[];
  /** The devices that sign in to the broker: those of the robots, and the rest of SCR-1001 to SCR-1020. */
  readonly serials: readonly string[];
}

/** The demo of a given size: first the handmade parks and robots, then invented ones. */
export function demoFleet({ sites, robots }: FleetSize): DemoFleet {
  const handmade = demoRobots.filter(({ park }) => park < sites).slice(0, robots);
  const parks = [...demoParks.slice(0, sites), ...generatedParks(Math.max(0, sites - demoParks.length))];
  const generated = generatedRobots(robots - handmade.length, parks);
  return {
    parks,
    robots: [...handmade, ...generated],
    serials: [...demoSerials, ...generated.map(({ serial }) => serial)],
  };
}

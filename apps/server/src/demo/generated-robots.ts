import type { DemoPark } from "./demo-parks.ts";
import { type DemoRobot, demoSerials } from "./demo-robots.ts";
import { oneOf, seededRandom, wholeFrom } from "./seeded-random.ts";

/** The number after those of the twenty devices that every demo knows. */
const FIRST_NUMBER = 1001 + demoSerials.length;
/** A large park gets this many robots where a small one gets one. */
const LARGEST = 4;

const motorTypes = ["BLDC", "BLDC", "DC Geared", "Stepper"];
const controlTypes = ["PLC", "PLC", "Microcontroller"];
const firmwares = ["2.4.1", "2.4.1", "2.4.1", "2.4.0", "2.3.0", "2.2.5"];

/**
 * Invented robots, spread over the parks: large parks have more, none stays without while there are enough. The same
 * at every call; most are well, some percent are not.
 */
export function generatedRobots(count: number, parks: readonly DemoPark[]): DemoRobot[] {
  const robots: DemoRobot[] = [];
  const sizes = parks.map(({ name }) => wholeFrom(seededRandom(`size of ${name}`), 1, LARGEST));
  for (let round = 0; robots.length < count; round++) {
    for (const [park, { name, commissioning_date }] of parks.entries()) {
      if (robots.length === count) break;
      if ((sizes[park] ?? 1) <= round % LARGEST) continue;
      const [place = name] = name.split(" ");
      const number = FIRST_NUMBER + robots.length;
      const serial = `SCR-${number}`;
      // With the number of all, so that no park has a name twice, also where robots came in several goes.
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
    installed: `${wholeFrom(random, year, 2025)}-0${wholeFrom(random, 1, 9)}-${wholeFrom(random, 10, 28)}`,
    firmware: oneOf(random, firmwares),
    battery: wholeFrom(random, 35, 99),
    mode: random() < 0.06 ? "MANUAL" : "AUTO",
  } as const;
  const fault = inventedFault(random());
  if (fault === undefined) return robot;
  return { ...robot, fault, ...(fault === "low-battery:12" ? { battery: 12 } : {}) };
}

/** Of a thousand robots some 25 are away, 15 low on battery, 10 with a worn brush and 5 with a jammed one. */
function inventedFault(chance: number): DemoRobot["fault"] {
  if (chance < 0.025) return "away";
  if (chance < 0.04) return "low-battery:12";
  if (chance < 0.05) return "warning:Brush worn";
  return chance < 0.055 ? "jam" : undefined;
}

import { parseArgs } from "node:util";

export const stepNames = ["tests", "checks", "stops", "rolling", "endurance", "crowd"] as const;
export type StepName = (typeof stepNames)[number];

/** The steps that run by default; the others are measurements. */
const usualSteps = stepNames.filter((name) => name !== "crowd");

export interface Options {
  readonly steps: readonly StepName[];
  /** How long servers are killed and schedules fall due, in seconds. */
  readonly seconds: number;
  /** Makes the same kills, in the same order, after the same pauses. */
  readonly seed: number;
  readonly groups: number;
  readonly robotsPerGroup: number;
  /** Robots that move when the database goes down, each time. */
  readonly stopRobots: number;
  /** Robots besides the groups, started and stopped manually. */
  readonly handRobots: number;
  /** Keeps the folder with all logs. */
  readonly keep: boolean;
}

export const help = `Tries Suncrew with PostgreSQL and Mosquitto from Debian's packages, on private ports.

Usage: npm exec -- node bench/production/main.ts [steps] [options]

Steps (${usualSteps.join(", ")} without a name)
  tests        npm test, with its API and protocol tests on this PostgreSQL
  checks       the device protocol through this Mosquitto: accounts, wills, TLS, MQTT 5
  stops        people stop robots while the database is killed, stands still, or has no disk left
  rolling      two servers are replaced one by one by a newer version and back, while people press
  endurance    three servers killed with -9 at random while schedules fire and people press
  crowd        how soon a person's Stop is with the robot and answered, while others ask for too much

  --seconds N  of the endurance, 30           --seed N     of its kills, 7
  --groups N   with a schedule, 36            --robots N   of each group, 2
  --hand N     robots started by hand, 12     --keep       leaves the folder with all logs
  --stops N    robots stopped without database, 200`;

/** Parses the command line; "help" if that was requested. Throws one sentence about what is wrong. */
export function readOptions(argv: readonly string[]): Options | "help" {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      seconds: { type: "string", default: "30" },
      seed: { type: "string", default: "7" },
      groups: { type: "string", default: "36" },
      robots: { type: "string", default: "2" },
      stops: { type: "string", default: "200" },
      hand: { type: "string", default: "12" },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const known = (name: string): StepName => {
    const step = stepNames.find((one) => one === name);
    if (step === undefined) throw new Error(`There is no step "${name}". Steps: ${stepNames.join(", ")}.`);
    return step;
  };
  const whole = (name: keyof typeof values, least: number): number => {
    const number = Number(values[name]);
    if (Number.isInteger(number) && number >= least) return number;
    throw new Error(`--${name} must be a whole number from ${least} up.`);
  };
  return {
    steps: positionals.length === 0 ? usualSteps : positionals.map(known),
    seconds: whole("seconds", 10),
    seed: whole("seed", 0),
    groups: whole("groups", 0),
    robotsPerGroup: whole("robots", 1),
    stopRobots: whole("stops", 1),
    handRobots: whole("hand", 0),
    keep: values.keep,
  };
}

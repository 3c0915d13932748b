import { StartError } from "../platform/embedded/start-error.ts";
import type { Mode } from "./settings.ts";
import { variableNames, variables } from "./variables.ts";

/** How large a demo shall be; null leaves it as it is. */
export interface RequestedFleet {
  readonly sites: number | null;
  readonly robots: number | null;
}

export interface Options {
  readonly mode: Mode;
  readonly help: boolean;
  /** Begin anew: delete the demo's data first. */
  readonly reset: boolean;
  /** Serve the calls only: no console is built, asked for or served. */
  readonly noConsole: boolean;
  /** Whether a new demo begins with sample history, groups and schedules. */
  readonly history: boolean;
  readonly fleet: RequestedFleet;
}

const known = ["--help", "-h", "--reset", "--no-console", "--no-history"];
/** Options with a number after them, all of them the demo's. */
const numbers = { "--sites": { least: 1, most: 2_000 }, "--robots": { least: 0, most: 20_000 } } as const;
type NumberName = keyof typeof numbers;
const isNumberName = (word: string): word is NumberName => Object.hasOwn(numbers, word);

/** Reads the command line. Throws a StartError with exit code 2 for what it does not know. */
export function readOptions(argv: readonly string[]): Options {
  const [mode, ...rest] = argv;
  if (mode !== "demo" && mode !== "production") {
    throw new StartError("Say how to start: `npm start` for the demo, `npm run serve` for production.", 2);
  }
  const start = mode === "demo" ? "npm start" : "npm run serve";
  const { words, given } = takeNumbers(rest);
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    throw new StartError(`There is no option ${unknown}: \`${start} -- --help\` lists what there is.`, 2);
  }
  const [number] = given.keys();
  if (number !== undefined && mode === "production") {
    throw new StartError(
      `${number} is the demo's (\`npm start -- ${number} ...\`): production makes no sample data.`,
      2,
    );
  }
  const reset = words.includes("--reset");
  if (reset && mode === "production") {
    throw new StartError(
      "--reset is the demo's (`npm start -- --reset`): production's data is never deleted by an option.",
      2,
    );
  }
  return {
    mode,
    reset,
    help: words.includes("--help") || words.includes("-h"),
    noConsole: words.includes("--no-console"),
    history: !words.includes("--no-history"),
    fleet: { sites: given.get("--sites") ?? null, robots: given.get("--robots") ?? null },
  };
}

/** Takes the options with numbers, `--sites 300` or `--sites=300`, out of the words. Throws for a wrong number. */
function takeNumbers(argv: readonly string[]): { words: string[]; given: Map<NumberName, number> } {
  const given = new Map<NumberName, number>();
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const [name = "", ...rest] = (argv[at] ?? "").split("=");
    if (!isNumberName(name)) {
      words.push(argv[at] ?? "");
      continue;
    }
    const text = rest.length > 0 ? rest.join("=") : (argv[++at] ?? "");
    const { least, most } = numbers[name];
    if (!/^\d{1,9}$/.test(text) || Number(text) < least || Number(text) > most) {
      throw new StartError(`${name} must be followed by a whole number from ${least} to ${most}.`, 2);
    }
    given.set(name, Number(text));
  }
  return { words, given };
}

/** What `--help` prints. */
export function helpText(mode: Mode): string {
  const isDemo = mode === "demo";
  const width = Math.max(...variableNames.map((name) => name.length)) + 2;
  return [
    isDemo
      ? "Suncrew demo: console, embedded PostgreSQL and MQTT broker, simulated robots and sample data."
      : "Suncrew in production mode: no sample data, no known password.",
    "",
    `Usage: ${isDemo ? "npm start" : "npm run serve"} [-- options]`,
    ...(isDemo ? [] : ["Before it: `npm run build`, and `npm run migrate` with the same DATABASE_URL."]),
    "",
    "Options:",
    ...(isDemo
      ? [
          "  --sites N      demo with N solar parks, 1 to 2000; without it 6, or what the data holds",
          "  --robots N     demo with N robots, 0 to 20000; without it 14, or what the data holds",
          "                 more than the data holds is added to it, less wants --reset",
          "  --no-history   begin without thirty days of sample history, groups and schedules",
          "  --reset        begin anew: deletes the demo's data in DATA_DIR first",
        ]
      : []),
    `  --no-console   serve the calls only, without ${isDemo ? "building and serving " : ""}the console`,
    "  --help         this text",
    "",
    "Environment variables:",
    ...Object.entries(variables).flatMap(([name, { meaning, fallback }]) => [
      `  ${name.padEnd(width)}${meaning}`,
      `  ${"".padEnd(width)}  without it: ${fallback}`,
    ]),
  ].join("\n");
}

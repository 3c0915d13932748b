import { StartError } from "../platform/errors.ts";
import type { Mode } from "./settings.ts";
import { defaultText, variableNames, variables } from "./environment-variables.ts";

/** The requested size of a demo; null leaves it as it is. */
export interface RequestedFleet {
  readonly sites: number | null;
  readonly robots: number | null;
}

export interface Options {
  readonly mode: Mode;
  readonly help: boolean;
  /** Start over: delete the demo's data first. */
  readonly reset: boolean;
  /** Serve only the API: the console is neither built nor served. */
  readonly noConsole: boolean;
  /** Whether a new demo begins with sample history, groups and schedules. */
  readonly history: boolean;
  readonly fleet: RequestedFleet;
}

const known = ["--help", "-h", "--reset", "--no-console", "--no-history"];
/** Options with a number, for the demo only. */
const numbers = { "--sites": { min: 1, max: 2_000 }, "--robots": { min: 0, max: 20_000 } } as const;
type NumberName = keyof typeof numbers;
const isNumberName = (word: string): word is NumberName => Object.hasOwn(numbers, word);

/** Reads the command line. Throws a StartError with exit code 2 for unknown options. */
export function readOptions(argv: readonly string[]): Options {
  const [mode, ...rest] = argv;
  if (mode !== "demo" && mode !== "production") {
    throw new StartError("Say how to start: `npm start` for the demo, `npm run serve` for production.", 2);
  }
  const start = mode === "demo" ? "npm start" : "npm run serve";
  const { words, sizes } = takeNumbers(rest);
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    throw new StartError(`There is no option ${unknown}: \`${start} -- --help\` lists the options.`, 2);
  }
  const [number] = sizes.keys();
  if (number !== undefined && mode === "production") {
    throw new StartError(
      `${number} is for the demo (\`npm start -- ${number} ...\`): production creates no sample data.`,
      2,
    );
  }
  const reset = words.includes("--reset");
  if (reset && mode === "production") {
    throw new StartError("--reset is for the demo (`npm start -- --reset`): no option deletes production's data.", 2);
  }
  return {
    mode,
    reset,
    help: words.includes("--help") || words.includes("-h"),
    noConsole: words.includes("--no-console"),
    history: !words.includes("--no-history"),
    fleet: { sites: sizes.get("--sites") ?? null, robots: sizes.get("--robots") ?? null },
  };
}

/** Separates the options with numbers, `--sites 300` or `--sites=300`, from the others. Throws for a wrong number. */
function takeNumbers(argv: readonly string[]): { words: string[]; sizes: Map<NumberName, number> } {
  const sizes = new Map<NumberName, number>();
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const [name = "", ...rest] = (argv[at] ?? "").split("=");
    if (!isNumberName(name)) {
      words.push(argv[at] ?? "");
      continue;
    }
    const text = rest.length > 0 ? rest.join("=") : (argv[++at] ?? "");
    const { min, max } = numbers[name];
    if (!/^\d{1,9}$/.test(text) || Number(text) < min || Number(text) > max) {
      throw new StartError(`${name} must be followed by a whole number from ${min} to ${max}.`, 2);
    }
    sizes.set(name, Number(text));
  }
  return { words, sizes };
}

export function helpText(mode: Mode): string {
  const isDemo = mode === "demo";
  const width = Math.max(...variableNames.map((name) => name.length)) + 2;
  return [
    isDemo
      ? "Suncrew demo: console, embedded PostgreSQL and MQTT broker, simulated robots and sample data."
      : "Suncrew in production mode: no sample data, no known password.",
    "",
    `Usage: ${isDemo ? "npm start" : "npm run serve"} [-- options]`,
    ...(isDemo ? [] : ["First run `npm run build`, and `npm run migrate` with the same DATABASE_URL."]),
    "",
    "Options:",
    ...(isDemo
      ? [
          "  --sites N      demo with N solar parks, 1 to 2000; default: 6, or what the data has",
          "  --robots N     demo with N robots, 0 to 20000; default: 14, or what the data has",
          "                 more than the data has are added to it, fewer need --reset",
          "  --no-history   start without thirty days of sample history, groups and schedules",
          "  --reset        start over: deletes the demo's data in DATA_DIR first",
        ]
      : []),
    `  --no-console   serve only the API, without ${isDemo ? "building and serving " : ""}the console`,
    "  --help         show this text",
    "",
    "Environment variables:",
    ...variableNames.flatMap((name) => [
      `  ${name.padEnd(width)}${variables[name].meaning}`,
      `  ${"".padEnd(width)}  default: ${defaultText(name)}`,
    ]),
  ].join("\n");
}

import { StartError } from "../platform/embedded/start-error.ts";
import type { Mode } from "./settings.ts";
import { variables } from "./variables.ts";

export interface Options {
  readonly mode: Mode;
  readonly help: boolean;
  /** Begin anew: delete the demo's data first. */
  readonly reset: boolean;
  /** Serve the calls only, without building and serving the console. */
  readonly noConsole: boolean;
}

const known = ["--help", "-h", "--reset", "--no-console"];

/** Reads the command line. Throws a StartError with exit code 2 for what it does not know. */
export function readOptions(argv: readonly string[]): Options {
  const [mode, ...rest] = argv;
  if (mode !== "demo" && mode !== "production") {
    throw new StartError("Say how to start: `npm start` for the demo, `npm run serve` for production.", 2);
  }
  const start = mode === "demo" ? "npm start" : "npm run serve";
  const unknown = rest.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    throw new StartError(`There is no option ${unknown}: \`${start} -- --help\` lists what there is.`, 2);
  }
  const reset = rest.includes("--reset");
  if (reset && mode === "production") {
    throw new StartError(
      "--reset is the demo's (`npm start -- --reset`): production's data is never deleted by an option.",
      2,
    );
  }
  const help = rest.includes("--help") || rest.includes("-h");
  return { mode, reset, help, noConsole: rest.includes("--no-console") };
}

/** What `--help` prints. */
export function helpText(mode: Mode): string {
  const isDemo = mode === "demo";
  const width = Math.max(...variables.map(({ name }) => name.length)) + 2;
  return [
    isDemo
      ? "Suncrew demo: console, embedded PostgreSQL and MQTT broker, simulated robots and sample data."
      : "Suncrew in production mode: no sample data, no known password.",
    "",
    `Usage: ${isDemo ? "npm start" : "npm run serve"} [-- options]`,
    "",
    "Options:",
    ...(isDemo ? ["  --reset        begin anew: deletes the demo's data in DATA_DIR first"] : []),
    "  --no-console   serve the calls only, without building and serving the console",
    "  --help         this text",
    "",
    "Environment variables:",
    ...variables.flatMap(({ name, meaning, fallback }) => [
      `  ${name.padEnd(width)}${meaning}`,
      `  ${"".padEnd(width)}  without it: ${fallback}`,
    ]),
  ].join("\n");
}

import { writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeDevices } from "../production/fleet.ts";
import { runStep } from "../production/run-step.ts";
import { smallDisk } from "../production/small-disk.ts";
import { startSystem, type StepContext } from "../production/test-system.ts";
import { type FaultName, faultNames, faultsOf, shortRound } from "./faults.ts";
import { judge, type Verdict } from "./judge.ts";
import type { Call } from "./people.ts";
import { ROBOTS, Trial } from "./trial.ts";

interface Options {
  readonly names: readonly FaultName[];
  readonly short: boolean;
  /** Makes the same presses, after the same pauses. */
  readonly seed: number;
  /** Keeps the folder with all logs. */
  readonly keep: boolean;
}

const help = `Tries faults of servers, broker, network, database and clocks, on Debian's PostgreSQL and Mosquitto: ${ROBOTS} robots,
people who start, stop and look at them all the time, and 100 planned runs that are due around each fault.

Usage: npm exec -- node bench/faults/main.ts [faults] [options]

Faults (all of them without a name)
  ${faultNames.join("\n  ")}

  --short   each fault is short; without names: ${shortRound.join(", ")}
  --seed N  of the presses, 7
  --keep    leaves the folder with all logs`;

/** Parses the command line; "help" if that was requested. Throws one sentence about what is wrong. */
function readOptions(argv: readonly string[]): Options | "help" {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      short: { type: "boolean", default: false },
      seed: { type: "string", default: "7" },
      keep: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const named = positionals.map((name) => {
    const known = faultNames.find((one) => one === name);
    if (known === undefined) throw new Error(`There is no fault "${name}". Faults: ${faultNames.join(", ")}.`);
    return known;
  });
  const seed = Number(values.seed);
  if (!Number.isInteger(seed)) throw new Error("--seed must be a whole number.");
  const usual = values.short ? shortRound : faultNames;
  return { names: named.length === 0 ? usual : named, short: values.short, seed, keep: values.keep };
}

/** Tries one fault after the other; true if no promise was broken. */
async function tryFaults(parts: StepContext<Options>): Promise<boolean> {
  const { options, folder, stops } = parts;
  const { names, short, keep } = options;
  const disk = names.includes("disk-full") ? await smallDisk(parts) : null;
  if (names.includes("disk-full") && disk === null) {
    console.log("disk-full: not tried, for only root can make a small disk.");
  }
  const system = await startSystem(parts, makeDevices("FLT", ROBOTS), {
    servers: 2,
    networks: true,
    steppedClocks: true,
    ...(disk !== null && { disk }),
  });
  const { postgres, mosquitto, places } = system;
  stops.push(async () => {
    postgres.resume();
    mosquitto.resume();
  });
  console.log(`${system.versions}, load average ${loadavg()[0]?.toFixed(1)}`);
  const trial = await Trial.prepare(system);
  const verdicts: Verdict[] = [];
  try {
    for (const fault of faultsOf(system, disk).filter(({ name }) => names.includes(name))) {
      const verdict = await judge(system, await trial.run(fault, short));
      verdicts.push(verdict);
      console.log(describe(verdict));
      for (const problem of verdict.problems) console.log(`WRONG: ${problem}`);
    }
  } finally {
    if (keep) for (const place of places) await writeFile(join(folder, `${place.name}.log`), place.printed());
  }
  console.log(`\n${table(verdicts)}\n\nLoad average at the end: ${loadavg()[0]?.toFixed(1)}`);
  return verdicts.every(({ problems }) => problems.length === 0);
}

/** A line for somebody who watches. */
function describe({ observation, ...verdict }: Verdict): string {
  const { fault, toBegin, beganMs, returnMs, fromMs } = observation;
  const seconds = Math.round((returnMs - beganMs) / 1_000);
  const begun = `${verdict.begun.length} of ${toBegin.length} runs begun (all by ${inSeconds(Math.max(...verdict.begun))})`;
  const start = `START again after ${inSeconds(verdict.startAgainMs)}`;
  const took = `took ${Math.round((Date.now() - fromMs) / 1_000)} s`;
  return `${fault.name.padEnd(22)} ${seconds} s: ${start}, ${begun}, ${verdict.stood.length} Stops judged; ${took}`;
}

/** Markdown for docs/performance.md. */
function table(verdicts: readonly Verdict[]): string {
  const titles = [
    "Fault",
    "Lasts",
    "START, STOP and pages were answered meanwhile",
    "Longest answer",
    "START again",
    "Stopped within 2 s; most",
    "Runs begun; half by, all by",
    "On record: acknowledged presses, runs",
  ];
  const rows = verdicts.map(({ observation, ...verdict }) => {
    const { fault, beganMs, returnMs, presses, reads, toBegin } = observation;
    const isMeanwhile = ({ fromMs }: Call) => fromMs >= beganMs && fromMs < Math.max(returnMs, beganMs + 1_000);
    const calls = [...presses, ...reads].filter(isMeanwhile);
    const answers = (what: Call["what"]) => countAnswers(calls.filter((call) => call.what === what));
    const inTime = verdict.stood.filter((ms) => ms <= 2_000).length;
    const begun = verdict.begun.toSorted((a, b) => a - b);
    const half = begun[Math.floor((begun.length - 1) / 2)] ?? Infinity;
    return [
      fault.title,
      inSeconds(returnMs - beganMs),
      `${answers("START")}; ${answers("STOP")}; ${answers("page")}`,
      inSeconds(verdict.longestAnswerMs),
      inSeconds(verdict.startAgainMs),
      `${inTime} of ${verdict.stood.length}; ${inSeconds(Math.max(0, ...verdict.stood))}`,
      `${begun.length} of ${toBegin.length}; ${inSeconds(half)}, ${inSeconds(begun.at(-1) ?? Infinity)}`,
      `${verdict.acknowledgedOnRecord} of ${verdict.acknowledged}, ${verdict.runsOnRecord} of ${toBegin.length}`,
    ];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n");
}

/** "200: 12, 503: 3", by frequency. */
function countAnswers(calls: readonly Call[]): string {
  const counts = Map.groupBy(calls, ({ answer }) => answer?.status ?? "none");
  const sorted = [...counts].toSorted(([, a], [, b]) => b.length - a.length);
  return sorted.map(([status, of]) => `${status}: ${of.length}`).join(", ") || "none pressed";
}

function inSeconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1_000).toFixed(1)} s` : "never";
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") console.log(help);
  else if (!(await runStep("faults", options, tryFaults))) process.exitCode = 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

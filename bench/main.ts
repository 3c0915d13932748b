import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { figureText, isWithinLimit, limitText, MISSED, type Result } from "./result.ts";

// Runs every benchmark, or those that are named, one after another, each in a process of its own, and writes what they
// report into the table in docs/performance.md. Rows of benchmarks that did not run stay. Ends with 1 if a benchmark
// fails or misses a limit, unless the row of that limit says "known: " and why.

const TABLE = join(import.meta.dirname, "../docs/performance.md");
const [BEGIN, END] = ["<!-- npm run bench: begin -->", "<!-- npm run bench: end -->"];
const HEAD = "| Benchmark | What | Limit | Figure | Kept | Beside it | Measured |";

interface Row {
  readonly benchmark: string;
  readonly what: string;
  readonly limit: string;
  readonly figure: string;
  /** "yes", "no", "known: " and the reason, or empty without a limit. */
  readonly kept: string;
  readonly beside: string;
  readonly measured: string;
}

/** The files of this folder that report results. */
async function findBenchmarks(): Promise<string[]> {
  const names = (await readdir(import.meta.dirname)).filter((name) => name.endsWith(".ts") && name !== "main.ts");
  const reporting = await Promise.all(
    names.map(async (name) => {
      const source = await readFile(join(import.meta.dirname, name), "utf8");
      return /import \{[^}]*\breport\b[^}]*\} from "\.\/result\.ts"/.test(source) ? [name.replace(/\.ts$/, "")] : [];
    }),
  );
  return reporting.flat().toSorted();
}

/** Runs one to its end; what it reported, and its exit code. */
async function run(benchmark: string, folder: string) {
  const file = join(folder, `${benchmark}.jsonl`);
  await writeFile(file, "");
  const child = spawn(process.execPath, [join(import.meta.dirname, `${benchmark}.ts`)], {
    env: { ...process.env, BENCH_RESULTS: file },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = (await once(child, "close")) as [number | null];
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  return { code, results: lines.map((line) => JSON.parse(line) as Result) };
}

function parseRow(line: string): Row {
  const [benchmark = "", what = "", limit = "", figure = "", kept = "", beside = "", measured = ""] = line
    .replace(/^\| /, "")
    .replace(/ \|$/, "")
    .split(" | ")
    .map((cell) => cell.trim());
  return { benchmark, what, limit, figure, kept, beside, measured };
}

const rowText = (row: Row) =>
  `| ${row.benchmark} | ${row.what} | ${row.limit} | ${row.figure} | ${row.kept} | ${row.beside} | ${row.measured} |`;

function rowOf(benchmark: string, result: Result, before: readonly Row[], measured: string): Row {
  const { what, detail } = result;
  const known = before.find((row) => row.what === what && row.kept.startsWith("known: "))?.kept;
  const limit = limitText(result);
  const kept = limit === "" ? "" : isWithinLimit(result) ? "yes" : (known ?? "no");
  return { benchmark, what, limit, figure: figureText(result), kept, beside: detail ?? "", measured };
}

const asked = process.argv.slice(2);
const all = await findBenchmarks();
const unknown = asked.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`There is no benchmark ${unknown}. There are: ${all.join(", ")}.`);
  process.exit(1);
}
const folder = await mkdtemp(join(tmpdir(), "suncrew-results-"));
try {
  const wrong: string[] = [];
  for (const benchmark of asked.length > 0 ? asked : all) {
    console.log(`\n== ${benchmark}`);
    const load = loadavg()[0]?.toFixed(1);
    const { code, results } = await run(benchmark, folder);
    if (code !== 0 && code !== MISSED) wrong.push(`${benchmark} failed (${code})`);
    // Read again each time: a benchmark takes long, and somebody may edit the file in the meantime.
    const text = await readFile(TABLE, "utf8");
    const [beginAt, endAt] = [text.indexOf(BEGIN), text.indexOf(END)];
    if (beginAt < 0 || endAt < beginAt) throw new Error(`${TABLE} has no place for the table.`);
    const before = text
      .slice(beginAt, endAt)
      .split("\n")
      .filter((line) => line.startsWith("| ") && line !== HEAD)
      .map(parseRow);
    const date = new Date().toISOString().slice(0, 10);
    const machine = `${cpus().length} cores, ${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.versions.node}`;
    const now = results.map((each) => rowOf(benchmark, each, before, `${date}, ${machine}, load ${load}`));
    wrong.push(...now.filter(({ kept }) => kept === "no").map(({ what }) => `${benchmark} misses a limit: ${what}`));
    // One that failed before it reported anything keeps what it had.
    const rows = now.length === 0 ? before : [...before.filter((row) => row.benchmark !== benchmark), ...now];
    const table = [HEAD, HEAD.replaceAll(/[^|]+/g, "---"), ...rows.toSorted(byBenchmark).map(rowText)];
    await writeFile(TABLE, `${text.slice(0, beginAt)}${BEGIN}\n\n${table.join("\n")}\n\n${text.slice(endAt)}`);
  }
  console.log(wrong.length === 0 ? "\nEvery limit is kept, or known to be missed." : `\n${wrong.join("\n")}`);
  if (wrong.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Keeps the order in which a benchmark reports. */
function byBenchmark(one: Row, other: Row): number {
  return one.benchmark < other.benchmark ? -1 : one.benchmark > other.benchmark ? 1 : 0;
}

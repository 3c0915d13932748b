import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { signalAtExit } from "../platform/embedded/process-table.ts";
import { hasCode, StartError } from "../platform/errors.ts";
import { repositoryDir } from "./data-folder.ts";

/** File beside the build that identifies its sources. */
const STAMP = ".built-from";

const consoleOf = (checkout: string): string => join(checkout, "apps/console");
const builtOf = (checkout: string): string => join(checkout, "apps/console/dist");

/** The console's sources. Any change in them requires a new build. */
const sources = [
  "package-lock.json",
  "apps/console/index.html",
  "apps/console/package.json",
  "apps/console/vite.config.ts",
  "apps/console/src",
  "apps/console/public",
  "packages/contract/src",
  "packages/domain/src",
];

/**
 * Returns the folder of the built console, and builds it first if its sources have changed. Throws a StartError with the
 * builder's output if that fails.
 */
export async function ensureConsoleBuilt(say: (line: string) => void, checkout = repositoryDir): Promise<string> {
  const { fault, stamp } = await inspect(checkout);
  if (fault === null) return builtOf(checkout);
  say("Building the console ...");
  const temporary = join(consoleOf(checkout), `.build-${process.pid}`);
  try {
    await build(checkout, join(temporary, "dist"));
    await writeFile(join(temporary, "dist", STAMP), stamp ?? "");
    await putInPlace(checkout, join(temporary, "dist"), join(temporary, "old"));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return builtOf(checkout);
}

/**
 * Returns the folder of the console built by `npm run build`, for production, which never builds: its user may not write
 * here, and the builder is not installed. Throws a StartError if it is missing or was built from other sources.
 */
export async function builtConsole(checkout = repositoryDir): Promise<string> {
  const { fault } = await inspect(checkout);
  if (fault === null) return builtOf(checkout);
  const what = fault === "missing" ? "The console is not built" : "The console was built from other sources";
  throw new StartError(
    `${what}: run \`npm run build\` after a complete \`npm ci\`, then start again (\`npm run serve -- --no-console\` serves only the API).`,
  );
}

/** What is wrong with the built console, if anything. Without its sources there is nothing to compare. */
async function inspect(checkout: string): Promise<{ fault: "missing" | "other" | null; stamp: string | null }> {
  const stamp = await sourceStamp(checkout);
  const builtFrom = await readFile(join(builtOf(checkout), STAMP), "utf8").catch(() => null);
  if (builtFrom === null || !(await isFile(join(builtOf(checkout), "index.html")))) return { fault: "missing", stamp };
  return { fault: stamp === null || builtFrom === stamp ? null : "other", stamp };
}

/** A hash of names and contents of all sources, so that a copy of a built tree counts as built; null if there are none. */
async function sourceStamp(checkout: string): Promise<string | null> {
  if (!(await isFile(join(consoleOf(checkout), "index.html")))) return null;
  const hash = createHash("sha256");
  for (const path of sources) {
    for (const file of await filesBelow(join(checkout, path))) {
      const content = await readFile(file).catch(() => null);
      if (content !== null) hash.update(`${relative(checkout, file)}\0${content.length}\n`).update(content);
    }
  }
  return hash.digest("hex");
}

async function filesBelow(path: string): Promise<string[]> {
  if (await isFile(path)) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false;
}

/** Swaps folders, so that running servers and concurrent starts never see half a build. */
async function putInPlace(checkout: string, built: string, old: string): Promise<void> {
  await rename(builtOf(checkout), old).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
  await rename(built, builtOf(checkout)).catch((error: unknown) => {
    // Another start was faster; its files are from the same sources.
    if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error;
  });
}

async function build(checkout: string, outDir: string): Promise<void> {
  const vite = join(checkout, "node_modules/vite/bin/vite.js");
  if (!(await isFile(vite))) {
    throw new StartError("The console must be built, but its build tool is not installed: run `npm ci` first.");
  }
  const options = ["--outDir", outDir, "--logLevel", "warn"];
  const child = spawn(process.execPath, [vite, "build", consoleOf(checkout), ...options], {
    cwd: checkout,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], NODE_ENV: "production", NO_COLOR: "1" },
  });
  const cancelSignal = signalAtExit(child.pid ?? 0, "SIGKILL");
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const failure = await new Promise<string | null>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(code === 0 ? null : `vite ended with ${code ?? signal}`));
  });
  cancelSignal();
  if (failure !== null)
    throw new StartError(`The console could not be built (${failure}). The builder said:\n${output.trim()}`);
}

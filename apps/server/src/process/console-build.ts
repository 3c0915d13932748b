import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../platform/embedded/files.ts";
import { signalAtExit } from "../platform/embedded/process-table.ts";
import { StartError } from "../platform/embedded/start-error.ts";
import { repositoryDir } from "./data-folder.ts";

const consoleDir = join(repositoryDir, "apps/console");
const builtDir = join(consoleDir, "dist");
/** Beside the built files: of which sources they were made. */
const STAMP = ".built-from";

/** What the console is made of. A change in any of it asks for a new build. */
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
 * Answers the folder of the built console, built now if its sources changed since. Throws a StartError with the
 * builder's words where that fails.
 */
export async function consoleReady(say: (line: string) => void): Promise<string> {
  const stamp = await sourceStamp();
  const builtFrom = await readFile(join(builtDir, STAMP), "utf8").catch(() => "");
  if (builtFrom === stamp && (await isFile(join(builtDir, "index.html")))) return builtDir;
  say("Building the console ...");
  const workshop = join(consoleDir, `.build-${process.pid}`);
  try {
    await build(join(workshop, "dist"));
    await writeFile(join(workshop, "dist", STAMP), stamp);
    await putInPlace(join(workshop, "dist"), join(workshop, "old"));
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
  return builtDir;
}

/** Names, sizes and times of all sources: a clone, an edit and an update each change it. */
async function sourceStamp(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of sources) {
    for (const file of await filesBelow(join(repositoryDir, path))) {
      const found = await stat(file).catch(() => null);
      if (found !== null) hash.update(`${file}\0${found.size}\0${found.mtimeMs}\n`);
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

/** Swaps folders, so that a running server and a start at the same time never see half a build. */
async function putInPlace(built: string, old: string): Promise<void> {
  await rename(builtDir, old).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
  await rename(built, builtDir).catch((error: unknown) => {
    // Another start was quicker; its files are of the same sources.
    if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error;
  });
}

async function build(outDir: string): Promise<void> {
  const vite = join(repositoryDir, "node_modules/vite/bin/vite.js");
  const child = spawn(process.execPath, [vite, "build", consoleDir, "--outDir", outDir, "--logLevel", "warn"], {
    cwd: repositoryDir,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], NODE_ENV: "production", NO_COLOR: "1" },
  });
  const takeBack = signalAtExit(child.pid ?? 0, "SIGKILL");
  let words = "";
  child.stdout.on("data", (chunk: Buffer) => (words += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (words += chunk.toString()));
  const failure = await new Promise<string | null>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(code === 0 ? null : `vite ended with ${code ?? signal}`));
  });
  takeBack();
  if (failure !== null)
    throw new StartError(`The console could not be built (${failure}). The builder said:\n${words.trim()}`);
}

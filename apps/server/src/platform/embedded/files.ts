import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { openSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasCode } from "../errors.ts";
import { processRuns } from "./process-table.ts";

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/**
 * Fills a new folder and gives it its name only once it is complete, so that a process killed halfway leaves no partial
 * folder under that name. Returns false if the folder existed already, or another process was faster.
 */
export async function createFolderAtomically(
  path: string,
  fill: (temporary: string) => Promise<void>,
): Promise<boolean> {
  if (await exists(path)) return false;
  await removeLeftovers(path);
  const temporary = `${path}.part-${process.pid}-${randomBytes(4).toString("hex")}`;
  await makeFolders(temporary);
  try {
    await fill(temporary);
    await rename(temporary, path);
    return true;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (hasCode(error, "ENOTEMPTY", "EEXIST") && (await exists(path))) return false;
    throw error;
  }
}

/** Removes what killed processes left behind while filling `path`. */
async function removeLeftovers(path: string): Promise<void> {
  const prefix = `${basename(path)}.part-`;
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    const pid = Number(name.slice(prefix.length).split("-")[0]);
    if (!name.startsWith(prefix) || (await processRuns(pid))) continue;
    await rm(join(dirname(path), name), { recursive: true, force: true });
  }
}

/** Writes a file that only its owner can read, atomically. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.part-${process.pid}`;
  await rm(temporary, { force: true });
  await writeFile(temporary, text, { mode: 0o600, flush: true });
  await rename(temporary, path);
}

/** Opens a log for appending, which the caller closes; rotates it first if it has grown beyond `maxBytes`. */
export async function openLogFile(path: string, maxBytes = 5_000_000): Promise<number> {
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  if (size > maxBytes) await rename(path, `${path}.1`);
  return openSync(path, "a", 0o600);
}

/**
 * Creates a folder and its parents. Node's own recursive option never returns below folders like /proc, where a new
 * folder is always "not found".
 */
export async function makeFolders(path: string): Promise<void> {
  if ((await stat(path).catch(() => null))?.isDirectory() === true) return;
  const above = dirname(path);
  if (above !== path) await makeFolders(above);
  await mkdir(path, { mode: 0o755 }).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error;
  });
}

/** Lets every account pass through one of our folders, without letting it list or read the contents. */
export async function makeTraversable(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o111) !== 0o111) await chmod(path, mode | 0o111);
}

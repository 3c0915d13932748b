import { readFile, readlink } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "../errors.ts";

/** True while a process with this id runs; zombies do not count. */
export async function processRuns(pid: number): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, "EPERM");
  }
  const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return !/^\d+ \(.*\) [ZX] /s.test(state);
}

export async function workingFolderOf(pid: number): Promise<string | null> {
  return await readlink(`/proc/${pid}/cwd`).catch(() => null);
}

export function signal(pid: number, name: NodeJS.Signals): void {
  // 0 would be this process's whole group.
  if (pid <= 0) return;
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended by itself.
  }
}

/**
 * Signals a process when this one exits for any reason but SIGKILL, so that a forced exit leaves nothing running either.
 * Returns a function that cancels it.
 */
export function signalAtExit(pid: number, name: NodeJS.Signals): () => void {
  const atExit = (): void => signal(pid, name);
  process.once("exit", atExit);
  return () => void process.off("exit", atExit);
}

/** Waits until the process has ended; false if it still runs after `timeoutMs`. */
export async function waitForExit(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (await processRuns(pid)) {
    if (Date.now() >= deadline) return false;
    await wait(20);
  }
  return true;
}

/** Identifies a process even if its id is reused: the id and its start time, in the kernel's ticks. */
export async function processStamp(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const startTicks = text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  return `${pid} ${startTicks}`.trim();
}

import { readFile } from "node:fs/promises";
import { StartError } from "../platform/embedded/start-error.ts";

/** What a process opens beside its robots: database connections, browsers, files. */
const BESIDE_ROBOTS = 300;

/** Each robot is a connection of the broker and of the simulator. Throws a StartError where there are not enough. */
export async function checkOpenFiles(robots: number): Promise<void> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const needed = robots + BESIDE_ROBOTS;
  const allowed = openFilesOf(limits);
  if (allowed !== null && needed > allowed) {
    throw new StartError(
      `${robots} robots need ${needed} open files, and this machine allows ${allowed} to a program: ask for fewer robots, or raise it (\`ulimit -n ${needed}\`).`,
    );
  }
}

/** The limit in the words of Linux, hard because Node.js takes all it may; null where there is none or it is not known. */
export function openFilesOf(limits: string): number | null {
  const found = /^Max open files +\S+ +(\d+) /m.exec(limits);
  return found === null ? null : Number(found[1]);
}

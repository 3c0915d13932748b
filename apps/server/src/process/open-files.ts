import { readFile } from "node:fs/promises";

/** What a process opens beside its robots: database connections, browsers, files. */
const BESIDE_ROBOTS = 300;

/**
 * How many of a demo's robots can be simulated: each is a connection of the broker and of the simulator, and a program
 * may open so many only. The others are devices that stay away.
 */
export async function robotsToSimulate(robots: number): Promise<number> {
  return withinOpenFiles(robots, openFilesOf(await readFile("/proc/self/limits", "utf8").catch(() => "")));
}

/** The same for a known limit; null where there is none. */
export function withinOpenFiles(robots: number, allowed: number | null): number {
  return allowed === null ? robots : Math.max(0, Math.min(robots, allowed - BESIDE_ROBOTS));
}

/** What a start says where not all can be simulated. */
export function simulatedSentence(robots: number, simulated: number): string {
  const away = robots - simulated;
  return `${simulated} of ${robots} robots are simulated, the other ${away} stay offline: each takes an open file, and this machine allows a program ${simulated + BESIDE_ROBOTS} (\`ulimit -n ${robots + BESIDE_ROBOTS}\` before the start would do for all).`;
}

/** The limit in the words of Linux, hard because Node.js takes all it may; null where there is none or it is not known. */
export function openFilesOf(limits: string): number | null {
  const found = /^Max open files +\S+ +(\d+) /m.exec(limits);
  return found === null ? null : Number(found[1]);
}

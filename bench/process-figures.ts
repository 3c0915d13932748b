import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Db } from "@suncrew/server/platform/database/database.ts";
import { sql } from "kysely";

/** Linux counts processor time in hundredths of a second. */
const TICKS = 100;

async function statOf(pid: number | string): Promise<string[]> {
  // The name in parentheses may contain anything.
  return (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
}

/** Seconds of processor time that a process has used itself. */
export async function busySecondsOf(pid: number): Promise<number> {
  const fields = await statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** The same of a process and its children, also of those that have ended. */
export async function busySecondsWithChildren(pid: number): Promise<number> {
  const own = (await statOf(pid)).slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
  let total = own;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = await statOf(name).catch(() => []);
    if (Number(fields[1]) === pid) total += (Number(fields[11]) + Number(fields[12])) / TICKS;
  }
  return total;
}

/** Memory in use, in MB. */
export async function memoryMbOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

/** The process id of our own child that runs this program. */
export async function childNamed(name: string): Promise<number> {
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const [, found, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(text) ?? [];
    if (found === name && Number(parent) === process.pid) return Number(pid);
  }
  throw new Error(`No ${name} is running here.`);
}

/** Does `work`; returns for how many seconds the longest transaction seen in the meantime was open. */
export async function longestTransaction(db: Db, work: () => Promise<void>): Promise<number> {
  let longest = 0;
  const done = new AbortController();
  const watch = (async () => {
    while (!done.signal.aborted) {
      const { rows } = await sql<{ seconds: number | null }>`
        select extract(epoch from max(clock_timestamp() - xact_start))::float8 as seconds from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(db);
      longest = Math.max(longest, rows[0]?.seconds ?? 0);
      await pause(10);
    }
  })();
  await work().finally(() => done.abort());
  await watch;
  return longest;
}

import { readFile } from "node:fs/promises";
import pg from "pg";
import { writePrivateFile } from "./files.ts";
import { processRuns, processStamp } from "./process-table.ts";

/** An advisory lock of the embedded PostgreSQL's own database `postgres`; the digits spell "suncrew" on a phone. */
const LOCK_KEY = 7862739;
/** A killed holder's session ends within this time. */
const TAKE_TIMEOUT_MS = 1500;
const RETAKE_TIMEOUT_MS = 10_000;
const PAUSE_MS = 100;

const applicationName = (pid: number): string => `suncrew instance ${pid}`;

/** Held by the one Suncrew that uses a data folder, as long as its session lives. */
export class InstanceLock {
  #client: pg.Client | null = null;
  #released = false;
  readonly #config: pg.ClientConfig;
  readonly #pidFile: string;
  readonly #onLost: () => void;

  /** `onLost` is called once, when the lock went with its session and could not be taken again. */
  constructor(config: pg.ClientConfig, pidFile: string, onLost: () => void) {
    this.#config = { ...config, application_name: applicationName(process.pid), keepAlive: true };
    this.#pidFile = pidFile;
    this.#onLost = onLost;
  }

  /** Returns null when taken, else the process id of the Suncrew that holds it (0 where that cannot be told). */
  async take(timeoutMs = TAKE_TIMEOUT_MS): Promise<number | null> {
    const client = new pg.Client(this.#config);
    client.on("error", () => undefined);
    await client.connect();
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [LOCK_KEY]);
      if (rows[0]?.taken === true) break;
      if (Date.now() >= deadline) {
        const holder = await holderOf(client);
        await client.end();
        return holder;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    this.#client = client;
    client.once("end", () => void this.#retake());
    await writePrivateFile(this.#pidFile, `${await processStamp(process.pid)}\n`);
    return null;
  }

  /** After a crash inside PostgreSQL every session is new, and so must the lock's be. */
  async #retake(): Promise<void> {
    this.#client = null;
    const deadline = Date.now() + RETAKE_TIMEOUT_MS;
    while (!this.#released && Date.now() < deadline) {
      const holder = await this.take(0).catch(() => undefined);
      if (holder === null) return this.#released ? await this.release() : undefined;
      if (holder !== undefined) break;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    if (!this.#released) this.#onLost();
  }

  async release(): Promise<void> {
    this.#released = true;
    await this.#client?.end().catch(() => undefined);
  }
}

async function holderOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.objid = $1 and l.granted`,
    [LOCK_KEY],
  );
  return Number(/\d+$/.exec(rows[0]?.name ?? "")?.[0] ?? 0);
}

/** The process that last held the lock, if it still runs; asked where the lock itself cannot be reached. */
export async function lastHolder(pidFile: string): Promise<number | null> {
  const stamp = (await readFile(pidFile, "utf8").catch(() => "")).trim();
  const pid = Number(stamp.split(" ")[0]);
  return pid !== process.pid && (await processRuns(pid)) && (await processStamp(pid)) === stamp ? pid : null;
}

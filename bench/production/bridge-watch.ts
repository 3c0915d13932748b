import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "../../apps/server/src/platform/database/database.ts";
import type { ServerPlace } from "./killed-servers.ts";

/** The number of the advisory lock that makes a server the bridge. */
const BRIDGE_LOCK = 7_305_002;
const LOOK_MS = 25;

/** What followed when the bridge was killed; times in milliseconds since then. */
export interface Takeover {
  readonly killed: string;
  readonly killedAtMs: number;
  /** Until another server held the lock; null if that did not happen before the next kill of a bridge. */
  lockedMs: number | null;
  /** Until that server had stored what a robot sent after the kill. */
  storedMs: number | null;
}

/** Asks PostgreSQL which server holds the bridge's lock and what the bridge stores. */
export class BridgeWatch {
  readonly #db: Db;
  readonly takeovers: Takeover[] = [];
  #holder: string | null = null;
  #watching = true;
  #done: Promise<void> = Promise.resolve();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Name of the server that holds the lock, as last seen. */
  get holder(): string | null {
    return this.#holder;
  }

  start(): void {
    this.#done = this.#watch();
  }

  async stop(): Promise<void> {
    this.#watching = false;
    await this.#done;
  }

  /** Must be called at each kill: that of a bridge begins a takeover. */
  killed(name: string, atMs: number): void {
    if (name !== this.#holder) return;
    this.takeovers.push({ killed: name, killedAtMs: atMs, lockedMs: null, storedMs: null });
  }

  async #watch(): Promise<void> {
    while (this.#watching) {
      const { holder, storedAt } = await lookAtBridge(this.#db);
      const nowMs = Date.now();
      this.#holder = holder;
      const last = this.takeovers.at(-1);
      if (last !== undefined && holder !== null && holder !== last.killed) {
        last.lockedMs ??= nowMs - last.killedAtMs;
        if (storedAt !== null && storedAt.getTime() > last.killedAtMs) last.storedMs ??= nowMs - last.killedAtMs;
      }
      await pause(LOOK_MS);
    }
  }
}

/** The server that is the bridge, by the name of its database connections, and when a bridge last stored a state. */
export async function lookAtBridge(db: Db): Promise<{ holder: string | null; storedAt: Date | null }> {
  const { rows } = await sql<{ holder: string | null; storedAt: Date | null }>`
    select (
      select a.application_name from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.objid = ${BRIDGE_LOCK} and a.datname = current_database()
      limit 1
    ) as holder, (select max(received_at) from robot_state) as "storedAt"
  `.execute(db);
  return rows[0] ?? { holder: null, storedAt: null };
}

/** Protocol rule 11. */
export const TAKEOVER_LIMIT_MS = 5_000;

/** True if some server answered all the time from the kill until the takeover was over, or too late. */
export function hadAnotherServer(takeover: Takeover, places: readonly ServerPlace[]): boolean {
  const overAtMs = takeover.killedAtMs + Math.min(takeover.storedMs ?? Infinity, TAKEOVER_LIMIT_MS);
  return places.some(({ lives }) =>
    lives.some(
      ({ name, fromMs, untilMs }) => name !== takeover.killed && fromMs < takeover.killedAtMs && untilMs > overAtMs,
    ),
  );
}

/** Intervals in which no server answered, in Unix milliseconds. */
export function timesWithoutServer(
  places: readonly ServerPlace[],
  fromMs: number,
  untilMs: number,
): { fromMs: number; untilMs: number }[] {
  const lives = places.flatMap((place) => place.lives).toSorted((a, b) => a.fromMs - b.fromMs);
  const gaps: { fromMs: number; untilMs: number }[] = [];
  let coveredMs = fromMs;
  for (const life of lives) {
    if (life.fromMs > coveredMs) gaps.push({ fromMs: coveredMs, untilMs: Math.min(life.fromMs, untilMs) });
    coveredMs = Math.max(coveredMs, life.untilMs);
  }
  if (coveredMs < untilMs) gaps.push({ fromMs: coveredMs, untilMs });
  return gaps;
}

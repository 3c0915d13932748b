import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { allShares, shareOfColumn } from "../../apps/server/src/features/devices/shares.ts";
import type { Db } from "../../apps/server/src/platform/database/database.ts";
import type { ServerPlace } from "./killed-servers.ts";

/** The first number of the advisory locks that make a server the bridge of shares of the robots. */
const BRIDGE_LOCK = 7_305_002;
const LOOK_MS = 25;

/** What followed when a bridge was killed; times in milliseconds since then. */
export interface Takeover {
  readonly killed: string;
  readonly killedAtMs: number;
  /** The shares of the robots that it was the bridge of. */
  readonly shares: ReadonlySet<number>;
  /** Until other servers had all of them; null if that did not happen before another of their bridges was killed. */
  lockedMs: number | null;
  /** Until these had stored what one of their robots sent after the kill. */
  storedMs: number | null;
}

/** Asks PostgreSQL which servers hold the bridges' locks and what they store. */
export class BridgeWatch {
  readonly #db: Db;
  readonly takeovers: Takeover[] = [];
  #seen: Bridges | null = null;
  #watching = true;
  #done: Promise<void> = Promise.resolve();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Name of the server that is the bridge of most robots, as last seen. */
  get holder(): string | null {
    return this.#seen?.holder ?? null;
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
    const shares = new Set(this.#seen?.shares.flatMap(({ share, holder }) => (holder === name ? [share] : [])));
    if (shares.size === 0) return;
    this.takeovers.push({ killed: name, killedAtMs: atMs, shares, lockedMs: null, storedMs: null });
  }

  async #watch(): Promise<void> {
    while (this.#watching) {
      const seen = await lookAtBridge(this.#db);
      this.#seen = seen;
      for (const takeover of this.takeovers) follow(takeover, seen, Date.now());
      await pause(LOOK_MS);
    }
  }
}

function follow(takeover: Takeover, { shares }: Bridges, nowMs: number): void {
  if (takeover.storedMs !== null) return;
  const of = shares.filter(({ share }) => takeover.shares.has(share));
  if (of.some(({ holder }) => holder === null || holder === takeover.killed)) return;
  takeover.lockedMs ??= nowMs - takeover.killedAtMs;
  const isStored = of.some(({ storedAt }) => storedAt !== null && storedAt.getTime() > takeover.killedAtMs);
  if (isStored) takeover.storedMs = nowMs - takeover.killedAtMs;
}

/** Servers have the names of their database connections. */
export interface Bridges {
  /** The bridge of most robots. */
  readonly holder: string | null;
  /** Each share's bridge, and the newest state of its robots. */
  readonly shares: readonly {
    readonly share: number;
    readonly holder: string | null;
    readonly storedAt: Date | null;
  }[];
}

export async function lookAtBridge(db: Db): Promise<Bridges> {
  const { rows: shares } = await sql<Bridges["shares"][number]>`
    select share, a.application_name as holder, s.stored_at as "storedAt"
    from unnest(${[...allShares]}::int[]) share
    left join pg_locks l on l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = ${BRIDGE_LOCK}
      and l.objid = share and l.database = (select oid from pg_database where datname = current_database())
    left join pg_stat_activity a on a.pid = l.pid
    left join (
      select ${shareOfColumn("r.serial_number")} as share, max(received_at) as stored_at
      from robot_state join robots r on r.id = robot_id group by 1
    ) s using (share)`.execute(db);
  const held = Map.groupBy(
    shares.filter(({ holder }) => holder !== null),
    ({ holder }) => holder,
  );
  const [most] = [...held].toSorted(([, one], [, other]) => other.length - one.length);
  return { holder: most?.[0] ?? null, shares };
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

import { sql } from "kysely";
import pg from "pg";
import { type Cancel, type Clock, SystemClock } from "../../platform/clock.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { allShares, SHARES, SILENT_MS } from "./shares.ts";

/**
 * An arbitrary number that all servers share. Every server that can be a bridge holds it as a shared lock, which counts
 * them; with a share as second number it makes its holder the bridge of that share. A server of 1.0.0 needs the first
 * exclusively, and is then the bridge of all robots.
 */
const BRIDGE_LOCK = 7_305_002;
/** Held as a shared lock by those that have no broker connection, so that every server can see that. */
const CUT_OFF_LOCK = 7_305_003;
/** How often servers look for shares that are free, and a bridge checks its connection. */
const CHECK_MS = 1_000;
/** How often a server looks while another is about to leave it shares: in between nobody listens to their robots. */
const SOON_MS = 100;
/** A connection that does not respond for this long (real time) is abandoned, and the locks with it. */
const QUERY_TIMEOUT_MS = 3_000;
/** How often a server shows that it does not hang (real time). */
const HEARTBEAT_MS = 1_000;
/** A server gives shares up after it has had too many at this many checks in a row, so that a short outage moves none. */
const PATIENCE_CHECKS = 3;

/** Whether every share of the robots has a bridge, and each of these is connected to the broker. */
export type BridgeStatus = "works" | "partly" | "none" | "cut-off";

/** As the database knows it, whichever servers are bridges; the broker connections as of a second ago. */
export async function readBridgeStatus(db: Executor): Promise<BridgeStatus> {
  const { rows } = await sql.raw<LockRow>(LOCKS).execute(db);
  const { candidates, free, ofOlderVersion } = readLocks(rows);
  if (ofOlderVersion !== null) return ofOlderVersion.isCutOff ? "cut-off" : "works";
  if (free.length > 0) return free.length === SHARES ? "none" : "partly";
  return candidates.some(({ shares, isCutOff }) => shares > 0 && isCutOff) ? "cut-off" : "works";
}

interface LockRow {
  readonly pid: number;
  readonly isOwn: boolean;
  readonly lock: "candidate" | "cut-off" | "share";
  readonly share: number | null;
  readonly exclusive: boolean;
}

const LOCKS = `
  select l.pid, l.pid = pg_backend_pid() as "isOwn", l.mode = 'ExclusiveLock' as exclusive,
    case when l.objsubid = 2 then 'share' when l.objid = ${CUT_OFF_LOCK} then 'cut-off' else 'candidate' end as lock,
    case when l.objsubid = 2 then l.objid::int end as share
  from pg_locks l
  where l.locktype = 'advisory' and l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and (l.objsubid = 2 and l.classid = ${BRIDGE_LOCK}
      or l.objsubid = 1 and l.classid = 0 and l.objid in (${BRIDGE_LOCK}, ${CUT_OFF_LOCK}))`;

interface Candidate {
  readonly pid: number;
  readonly isOwn: boolean;
  readonly isCutOff: boolean;
  readonly shares: number;
}

interface Locks {
  readonly candidates: readonly Candidate[];
  /** Shares without a bridge. */
  readonly free: readonly number[];
  /** A server of 1.0.0, which is the bridge of all robots. */
  readonly ofOlderVersion: Candidate | null;
}

function readLocks(rows: readonly LockRow[]): Locks {
  const cutOff = new Set(rows.filter(({ lock }) => lock === "cut-off").map(({ pid }) => pid));
  const taken = rows.flatMap(({ share, pid }) => (share === null ? [] : [{ share, pid }]));
  const found = rows.filter(({ lock }) => lock === "candidate");
  const candidates = found.map(({ pid, isOwn, exclusive }) => {
    const shares = taken.filter((one) => one.pid === pid).length;
    return { pid, isOwn, exclusive, isCutOff: cutOff.has(pid), shares };
  });
  const held = new Set(taken.map(({ share }) => share));
  return {
    candidates,
    free: allShares.filter((share) => !held.has(share)),
    ofOlderVersion: candidates.find(({ exclusive }) => exclusive) ?? null,
  };
}

/**
 * How many shares each server should have, by its process in PostgreSQL. All servers compute it from the same locks, and
 * it adds up to all shares; those that have most have the remainder, so that nothing moves without need. A server that
 * has no broker while another has is absent: it should have none.
 */
function targetsOf({ candidates }: Locks): ReadonlyMap<number, number> {
  const connected = candidates.filter(({ isCutOff }) => !isCutOff);
  const able = connected.length > 0 ? connected : candidates;
  const ranked = able.toSorted((a, b) => b.shares - a.shares || a.pid - b.pid);
  const least = Math.floor(SHARES / able.length);
  return new Map(ranked.map(({ pid }, rank) => [pid, least + (rank < SHARES % able.length ? 1 : 0)]));
}

export interface BridgeLockDependencies extends Pick<Dependencies, "connection" | "clock" | "log"> {
  /** What silence is measured by; the system's clock by default. */
  readonly realTime?: Clock;
}

export interface LockHolder {
  /** Whether this server may be a bridge: not while its clock is unreliable (protocol rule 12). */
  canHold(): boolean;
  /**
   * Called before shares are given up voluntarily; they are still held during the call. Resolves to whether everything
   * that had arrived is stored.
   */
  onGiving(): Promise<boolean>;
  hasBroker(): boolean;
  /** These shares are held from now on. */
  onHeld(shares: readonly number[]): void;
  /** Called immediately when shares may be lost; nothing about their robots may be written afterwards. */
  onLost(): void;
}

/**
 * The PostgreSQL advisory locks that make servers bridges, each for a share of the robots (protocol rule 11). They have
 * a connection to themselves, and are held exactly as long as that connection lives; PostgreSQL ends it once it is silent.
 */
export class BridgeLock {
  /** Not the clock that the rest goes by, and that most tests stop: PostgreSQL measures the silence, too. */
  readonly #realTime: Clock;
  readonly #deps: BridgeLockDependencies;
  readonly #holder: LockHolder;
  #client: pg.Client | null = null;
  #isCandidate = false;
  readonly #held = new Map<number, number>();
  /** When the last answered query was sent: the session lived then, and lives for as long as it may be silent. */
  #aliveAtMs = 0;
  /** The database knows that this server has no broker connection. */
  #isCutOff = false;
  /** At how many checks in a row this server has had more shares than it should. */
  #checksAbove = 0;
  #checking: Promise<void> | null = null;
  #beating: Promise<void> | null = null;
  #cancel: Cancel = () => {};
  #cancelHeartbeat: Cancel = () => {};
  #cancelSoon: Cancel = () => {};
  #running = false;

  constructor(deps: BridgeLockDependencies, holder: LockHolder) {
    this.#deps = deps;
    this.#realTime = deps.realTime ?? new SystemClock();
    this.#holder = holder;
  }

  /** The shares that this server is the bridge of, with the readings of the monotonic clock when it became it. */
  get held(): ReadonlyMap<number, number> {
    return this.#isSilent ? NONE : this.#held;
  }

  /** It was suspended, perhaps, and another server may be the bridge, although its connection does not show that yet. */
  get #isSilent(): boolean {
    return this.#realTime.monotonicMs() - this.#aliveAtMs >= SILENT_MS;
  }

  /** Resolves after the first attempt, successful or not. */
  async start(): Promise<void> {
    this.#running = true;
    this.#cancel = this.#deps.clock.every(CHECK_MS, () => this.#tick());
    this.#cancelHeartbeat = this.#realTime.every(HEARTBEAT_MS, () => this.#beat());
    this.#tick();
    await this.#checking;
  }

  /** Releases the locks, so that other servers need not wait. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancel();
    this.#cancelHeartbeat();
    await this.#checking;
    await this.#beating;
    this.#cancelSoon();
    const client = this.#client;
    this.#drop();
    await client?.end();
  }

  /** Resolves when no query is pending. */
  async idle(): Promise<void> {
    await this.#checking;
    await this.#beating;
  }

  #tick(): void {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
  }

  /** Not while a check, whose queries are as good, is in progress. */
  #beat(): void {
    const client = this.#client;
    if (client === null || this.#beating !== null) return;
    if (this.#held.size > 0 && this.#isSilent) {
      this.#onConnectionLost(client, new Error("This server was silent for too long."));
    } else if (this.#checking === null) {
      this.#beating = this.#showAlive(client).finally(() => {
        this.#beating = null;
      });
    }
  }

  async #showAlive(client: pg.Client): Promise<void> {
    try {
      await this.#query(client, "select 1");
    } catch (error) {
      this.#onConnectionLost(client, error);
    }
  }

  async #query<Row extends pg.QueryResultRow>(client: pg.Client, text: string, values: unknown[] = []): Promise<Row[]> {
    const sentMs = this.#realTime.monotonicMs();
    const { rows } = await client.query<Row>(text, values);
    // While it was silent, what arrived for its shares was dropped: they must be taken again.
    if (this.#held.size > 0 && this.#isSilent) throw new Error("This server was silent for too long.");
    if (client === this.#client) this.#aliveAtMs = sentMs;
    return rows;
  }

  async #check(): Promise<void> {
    await this.#beating;
    if (!this.#holder.canHold()) return this.#resign();
    const client = this.#client ?? this.#newClient();
    try {
      if (this.#client === null) await this.#open(client);
      if (!this.#isCandidate) this.#isCandidate = await this.#call(client, "pg_try_advisory_lock_shared", BRIDGE_LOCK);
      if (!this.#isCandidate) return;
      await this.#publishBrokerStatus(client);
      // Always runs a query, which proves that the connection, and with it the locks, are still alive.
      await this.#balance(client, readLocks(await this.#query<LockRow>(client, LOCKS)));
    } catch (error) {
      this.#onConnectionLost(client, error);
    }
  }

  #newClient(): pg.Client {
    return new pg.Client({
      ...this.#deps.connection,
      connectionTimeoutMillis: QUERY_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
    });
  }

  async #open(client: pg.Client): Promise<void> {
    client.on("error", (error) => this.#onConnectionLost(client, error));
    client.on("end", () => this.#onConnectionLost(client, new Error("Connection terminated")));
    this.#client = client;
    await client.connect();
    // Without these, a server that lost its network would keep the locks for hours (no effect on a local socket).
    await client.query("set tcp_keepalives_idle = 1; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 2");
    // Nor would one that is suspended, whose machine still answers for it.
    await client.query(`set idle_session_timeout = ${SILENT_MS}`);
  }

  async #publishBrokerStatus(client: pg.Client): Promise<void> {
    const isCutOff = !this.#holder.hasBroker();
    if (isCutOff === this.#isCutOff) return;
    await this.#call(client, isCutOff ? "pg_try_advisory_lock_shared" : "pg_advisory_unlock_shared", CUT_OFF_LOCK);
    this.#isCutOff = isCutOff;
  }

  async #balance(client: pg.Client, locks: Locks): Promise<void> {
    const targets = targetsOf(locks);
    const surplusOf = ({ pid, shares }: Candidate) => shares - (targets.get(pid) ?? 0);
    const own = locks.candidates.find(({ isOwn }) => isOwn);
    const above = own === undefined ? 0 : surplusOf(own);
    this.#checksAbove = above > 0 ? this.#checksAbove + 1 : 0;
    if (above < 0) await this.#take(client, locks.free, -above);
    const isPromised = above < 0 && locks.candidates.some((other) => surplusOf(other) > 0);
    if (isPromised) this.#cancelSoon = this.#deps.clock.after(SOON_MS, () => this.#tick());
    if (this.#checksAbove >= PATIENCE_CHECKS) await this.#give(client, [...this.#held.keys()].slice(0, above));
  }

  /** Takes so many of the free shares; other servers may be faster. */
  async #take(client: pg.Client, free: readonly number[], wanted: number): Promise<void> {
    const taken: number[] = [];
    for (let next = 0; next < free.length && taken.length < wanted;) {
      const some = free.slice(next, next + wanted - taken.length);
      next += some.length;
      const rows = await this.#query<{ share: number }>(
        client,
        "select share from unnest($2::int[]) share where pg_try_advisory_lock($1, share)",
        [BRIDGE_LOCK, some],
      );
      taken.push(...rows.map(({ share }) => share));
    }
    if (taken.length === 0 || client !== this.#client || !this.#running) return;
    for (const share of taken) this.#held.set(share, this.#deps.clock.monotonicMs());
    const fields = { taken: taken.length, shares: this.#held.size };
    this.#deps.log.info(fields, this.#held.size === SHARES ? "this server is the bridge" : "this server is a bridge");
    this.#holder.onHeld(taken);
  }

  /** All at once, because whoever takes them has the broker send everything that it retains. */
  async #give(client: pg.Client, shares: readonly number[]): Promise<void> {
    if (!(await this.#holder.onGiving()) || client !== this.#client) return;
    for (const share of shares) this.#held.delete(share);
    this.#checksAbove = 0;
    this.#deps.log.info(
      { given: shares.length, shares: this.#held.size },
      "this server leaves robots to another bridge",
    );
    this.#holder.onLost();
    await this.#query(client, "select pg_advisory_unlock($1, share) from unnest($2::int[]) share", [
      BRIDGE_LOCK,
      shares,
    ]);
  }

  /** Another server may take the locks immediately. */
  async #resign(): Promise<void> {
    if (this.#held.size > 0) {
      this.#deps.log.warn("this server resigns as the bridge: its clock is unreliable");
      await this.#holder.onGiving();
    }
    const client = this.#client;
    this.#drop();
    await client?.query("select pg_advisory_unlock_all()").catch(() => {});
    // Not awaited: closing a broken connection may take arbitrarily long.
    client?.end().catch(() => {});
  }

  async #call(client: pg.Client, lock: AdvisoryLock, number: number): Promise<boolean> {
    const [row] = await this.#query<{ done: boolean }>(client, `select ${lock}($1) as done`, [number]);
    return row?.done === true;
  }

  #onConnectionLost(client: pg.Client, error: unknown): void {
    if (client !== this.#client) return;
    // Losing shares is always logged; failing to get any may be part of a known outage.
    if (this.#held.size > 0) this.#deps.log.warn({ reason: error }, "this server is no longer the bridge");
    else this.#deps.log.warn({ error }, "no connection for the bridge lock");
    this.#drop();
    client.end().catch(() => {});
  }

  #drop(): void {
    this.#client?.removeAllListeners();
    this.#client?.on("error", () => {});
    this.#client = null;
    this.#isCandidate = false;
    this.#isCutOff = false;
    this.#checksAbove = 0;
    if (this.#held.size === 0) return;
    this.#held.clear();
    this.#holder.onLost();
  }
}

const NONE: ReadonlyMap<number, number> = new Map();

type AdvisoryLock = "pg_try_advisory_lock_shared" | "pg_advisory_unlock_shared";

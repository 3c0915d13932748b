import { sql } from "kysely";
import pg from "pg";
import type { Cancel } from "../../platform/clock.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";

/** Arbitrary numbers that all servers share. */
const BRIDGE_LOCK = 7_305_002;
/** Held by the bridge alongside its lock while it has no broker connection, so that every server can see that. */
const CUT_OFF_LOCK = 7_305_003;
/** How often other servers try to become the bridge, and the bridge checks its connection. */
const CHECK_MS = 1_000;
/** A connection that does not respond for this long (real time) is abandoned, and the lock with it. */
const QUERY_TIMEOUT_MS = 3_000;

/** Whether some server is the bridge, and whether it is connected to the broker. */
export type BridgeStatus = "works" | "none" | "cut-off";

/** As the database knows it, whichever server is the bridge; the broker connection as of a second ago. */
export async function readBridgeStatus(db: Executor): Promise<BridgeStatus> {
  const { rows } = await sql<{ objid: number }>`
    select objid::int as objid from pg_locks
    where locktype = 'advisory' and granted and objsubid = 1 and classid = 0 and objid in (${BRIDGE_LOCK}, ${CUT_OFF_LOCK})
      and database = (select oid from pg_database where datname = current_database())
  `.execute(db);
  const held = new Set(rows.map(({ objid }) => objid));
  if (!held.has(BRIDGE_LOCK)) return "none";
  return held.has(CUT_OFF_LOCK) ? "cut-off" : "works";
}

export interface LockHolder {
  /** Whether this server may be the bridge: not while its clock is unreliable (protocol rule 12). */
  canHold(): boolean;
  /** Called before the lock is released voluntarily; it is still held during the call. */
  onResigning(): Promise<unknown>;
  hasBroker(): boolean;
  onHeld(): void;
  /** Called immediately when the lock may be lost; nothing may be written afterwards. */
  onLost(): void;
}

/**
 * The PostgreSQL advisory lock that makes one server the bridge (protocol rule 11). It has a connection to itself, and
 * is held exactly as long as that connection lives.
 */
export class BridgeLock {
  readonly #deps: Pick<Dependencies, "connection" | "clock" | "log">;
  readonly #holder: LockHolder;
  #client: pg.Client | null = null;
  #held = false;
  /** The database knows that this bridge has no broker connection. */
  #isCutOff = false;
  #checking: Promise<void> | null = null;
  #cancel: Cancel = () => {};
  #running = false;

  constructor(deps: Pick<Dependencies, "connection" | "clock" | "log">, holder: LockHolder) {
    this.#deps = deps;
    this.#holder = holder;
  }

  get held(): boolean {
    return this.#held;
  }

  /** Resolves after the first attempt, successful or not. */
  async start(): Promise<void> {
    this.#running = true;
    this.#cancel = this.#deps.clock.every(CHECK_MS, () => this.#tick());
    this.#tick();
    await this.#checking;
  }

  /** Releases the lock, so that another server need not wait. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancel();
    await this.#checking;
    const client = this.#client;
    this.#drop();
    await client?.end();
  }

  /** Resolves when no query is pending. */
  async idle(): Promise<void> {
    await this.#checking;
  }

  #tick(): void {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
  }

  async #check(): Promise<void> {
    if (!this.#holder.canHold()) return this.#resign();
    const client = this.#client ?? this.#newClient();
    try {
      if (this.#client === null) await this.#open(client);
      if (!this.#held) await this.#tryLock(client);
      await this.#publishBrokerStatus(client);
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
    // Without these, a server that lost its network would keep the lock for hours (no effect on a local socket).
    await client.query("set tcp_keepalives_idle = 1; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 2");
  }

  async #tryLock(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ held: boolean }>("select pg_try_advisory_lock($1) as held", [BRIDGE_LOCK]);
    if (rows[0]?.held !== true || client !== this.#client || !this.#running) return;
    this.#held = true;
    this.#deps.log.info("this server is the bridge");
    this.#holder.onHeld();
  }

  /** Always runs a query, which proves that the connection, and with it the lock, is still alive. */
  async #publishBrokerStatus(client: pg.Client): Promise<void> {
    if (!this.#held) return;
    const isCutOff = !this.#holder.hasBroker();
    if (isCutOff === this.#isCutOff) return void (await client.query("select 1"));
    await client.query(`select ${isCutOff ? "pg_try_advisory_lock" : "pg_advisory_unlock"}($1)`, [CUT_OFF_LOCK]);
    this.#isCutOff = isCutOff;
  }

  /** Another server may take the lock immediately. */
  async #resign(): Promise<void> {
    if (this.#held) {
      this.#deps.log.warn("this server resigns as the bridge: its clock is unreliable");
      await this.#holder.onResigning();
    }
    const client = this.#client;
    this.#drop();
    await client?.query("select pg_advisory_unlock_all()").catch(() => {});
    // Not awaited: closing a broken connection may take arbitrarily long.
    client?.end().catch(() => {});
  }

  #onConnectionLost(client: pg.Client, error: unknown): void {
    if (client !== this.#client) return;
    // Losing the bridge is always logged; failing to become it may be part of a known outage.
    if (this.#held) this.#deps.log.warn({ reason: error }, "this server is no longer the bridge");
    else this.#deps.log.warn({ error }, "no connection for the bridge lock");
    this.#drop();
    client.end().catch(() => {});
  }

  #drop(): void {
    this.#client?.removeAllListeners();
    this.#client?.on("error", () => {});
    this.#client = null;
    this.#isCutOff = false;
    if (!this.#held) return;
    this.#held = false;
    this.#holder.onLost();
  }
}

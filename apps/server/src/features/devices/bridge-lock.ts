import { sql } from "kysely";
import pg from "pg";
import type { Logger } from "pino";
import type { Cancel, Clock } from "../../platform/clock.ts";
import type { Executor } from "../../platform/database/database.ts";

/** Any numbers all servers agree on. */
const BRIDGE_LOCK = 7_305_002;
/** Held by the bridge alongside its lock while it has no broker connection, so that every server can see that. */
const CUT_OFF_LOCK = 7_305_003;
/** A server that is not the bridge tries, and one that is looks after its connection, this often. */
const TRY_MS = 1_000;
/** A connection unresponsive for this long (real time) is abandoned, and the lock with it. */
const ANSWER_MS = 3_000;

/** Whether some server is the bridge, and has its broker. */
export type BridgeStatus = "works" | "none" | "cut-off";

/** As the database knows it, whichever server it is; the broker as of a second ago. */
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
  /** Whether this server may be the bridge at all: it is not while its clock cannot be relied on (protocol rule 12). */
  canHold(): boolean;
  /** Called before the lock is released voluntarily; it is still held during the call. */
  onGivingUp(): Promise<unknown>;
  /** Whether the bridge can hear robots at all. */
  hasBroker(): boolean;
  onHeld(): void;
  /** Called immediately when the lock may be lost; nothing may be written afterwards. */
  onLost(): void;
}

/**
 * The PostgreSQL advisory lock that makes one server the bridge (protocol rule 11), on a connection of its own: it
 * is held for as long as that connection lives, and not a moment longer.
 */
export class BridgeLock {
  readonly #connection: pg.ClientConfig;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #holder: LockHolder;
  #client: pg.Client | null = null;
  #held = false;
  /** The database knows that this bridge has no broker. */
  #isCutOff = false;
  #asking: Promise<void> | null = null;
  #cancel: Cancel = () => {};
  #running = false;

  constructor(connection: pg.ClientConfig, clock: Clock, log: Logger, holder: LockHolder) {
    this.#connection = connection;
    this.#clock = clock;
    this.#log = log;
    this.#holder = holder;
  }

  get held(): boolean {
    return this.#held;
  }

  /** Resolves after the first try, whether it got the lock or not. */
  async start(): Promise<void> {
    this.#running = true;
    this.#cancel = this.#clock.every(TRY_MS, () => this.#tick());
    this.#tick();
    await this.#asking;
  }

  /** Gives the lock back, so that another server needs not wait. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#cancel();
    await this.#asking;
    const client = this.#client;
    this.#drop();
    await client?.end();
  }

  /** Resolves when no question to the database is open. */
  async idle(): Promise<void> {
    await this.#asking;
  }

  #tick(): void {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
  }

  async #ask(): Promise<void> {
    if (!this.#holder.canHold()) return this.#giveUp();
    const client = this.#client ?? this.#newClient();
    try {
      if (this.#client === null) await this.#open(client);
      if (!this.#held) await this.#try(client);
      await this.#tellOfBroker(client);
    } catch (error) {
      this.#lost(client, error);
    }
  }

  #newClient(): pg.Client {
    return new pg.Client({ ...this.#connection, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  }

  async #open(client: pg.Client): Promise<void> {
    client.on("error", (error) => this.#lost(client, error));
    client.on("end", () => this.#lost(client, new Error("Connection terminated")));
    this.#client = client;
    await client.connect();
    // Without these a server that lost its network would keep the lock for hours (no effect on a local socket).
    await client.query("set tcp_keepalives_idle = 1; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 2");
  }

  async #try(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ held: boolean }>("select pg_try_advisory_lock($1) as held", [BRIDGE_LOCK]);
    if (rows[0]?.held !== true || client !== this.#client || !this.#running) return;
    this.#held = true;
    this.#log.info("this server is the bridge");
    this.#holder.onHeld();
  }

  /** A question in any case: it shows that the connection, and the lock with it, is still there. */
  async #tellOfBroker(client: pg.Client): Promise<void> {
    if (!this.#held) return;
    const isCutOff = !this.#holder.hasBroker();
    if (isCutOff === this.#isCutOff) return void (await client.query("select 1"));
    await client.query(`select ${isCutOff ? "pg_try_advisory_lock" : "pg_advisory_unlock"}($1)`, [CUT_OFF_LOCK]);
    this.#isCutOff = isCutOff;
  }

  /** Another server may take it at once. */
  async #giveUp(): Promise<void> {
    if (this.#held) {
      this.#log.warn("this server gives up being the bridge: its clock cannot be relied on");
      await this.#holder.onGivingUp();
    }
    const client = this.#client;
    this.#drop();
    await client?.query("select pg_advisory_unlock_all()").catch(() => {});
    // Not awaited: closing a broken connection may take arbitrarily long.
    client?.end().catch(() => {});
  }

  #lost(client: pg.Client, error: unknown): void {
    if (client !== this.#client) return;
    // That the bridge was lost is told whatever it was lost by; that there is none yet may be part of an outage.
    if (this.#held) this.#log.warn({ reason: error }, "this server is the bridge no more");
    else this.#log.warn({ error }, "no connection for the bridge lock");
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

import pg from "pg";
import type { Logger } from "pino";
import type { Cancel, Clock } from "../../platform/clock.ts";

/** Any number all servers agree on. */
const BRIDGE_LOCK = 7_305_002;
/** A server that is not the bridge tries, and one that is looks after its connection, this often. */
const TRY_MS = 1_000;
/** A connection that does not answer for so long, in real time, is given up, and the lock with it. */
const ANSWER_MS = 3_000;

export interface LockHolder {
  onHeld(): void;
  /** Called at once when the lock may be gone; nothing may be written after it. */
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
    const client = this.#client ?? this.#newClient();
    try {
      if (this.#client === null) await this.#open(client);
      if (this.#held) await client.query("select 1");
      else await this.#try(client);
    } catch (error) {
      this.#lost(client, error instanceof Error ? error.message : "unknown");
    }
  }

  #newClient(): pg.Client {
    return new pg.Client({ ...this.#connection, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  }

  async #open(client: pg.Client): Promise<void> {
    client.on("error", (error) => this.#lost(client, error.message));
    client.on("end", () => this.#lost(client, "ended"));
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

  #lost(client: pg.Client, reason: string): void {
    if (client !== this.#client) return;
    this.#log.warn({ reason }, this.#held ? "this server is the bridge no more" : "no connection for the bridge lock");
    this.#drop();
    client.end().catch(() => {});
  }

  #drop(): void {
    this.#client?.removeAllListeners();
    this.#client?.on("error", () => {});
    this.#client = null;
    if (!this.#held) return;
    this.#held = false;
    this.#holder.onLost();
  }
}

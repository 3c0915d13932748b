import pg from "pg";

/** Who waits longer, in real time, gives up. */
const WAIT_MS = 30_000;
/** Each lock has a connection of its own while it is held or waited for; more than so many at once wait their turn. */
const AT_ONCE = 4;

/** Somebody else has held the lock for too long. */
export class LockUnavailableError extends Error {
  constructor() {
    super("Somebody else has held this lock for too long.");
    this.name = "LockNotHad";
  }
}

export interface HeldLock {
  /** False once its connection is gone: somebody else may hold it by now. */
  readonly held: boolean;
}

/**
 * PostgreSQL's advisory locks for work that asks others and takes its time: over all servers, one at a time for each key.
 * Neither a transaction is open meanwhile nor a connection of the pool in use, and where the process dies the lock is
 * free at once.
 */
export class AdvisoryLocks {
  readonly #connection: pg.ClientConfig;
  /** Names the kind of work: any number all servers agree on. */
  readonly #kind: number;
  readonly #waitMs: number;
  #open = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(connection: pg.ClientConfig, kind: number, waitMs = WAIT_MS) {
    this.#connection = connection;
    this.#kind = kind;
    this.#waitMs = waitMs;
  }

  /** Runs the work while the lock of `key` is held. Throws LockNotHad; else what the work throws. */
  async holding<T>(key: string, work: (lock: HeldLock) => Promise<T>): Promise<T> {
    if (this.#open === AT_ONCE) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#open += 1;
    try {
      return await this.#connected(key, work);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#open -= 1;
      else next();
    }
  }

  async #connected<T>(key: string, work: (lock: HeldLock) => Promise<T>): Promise<T> {
    const client = new pg.Client({ ...this.#connection, connectionTimeoutMillis: 5_000, lock_timeout: this.#waitMs });
    const lock = { held: false };
    const lost = () => void (lock.held = false);
    client.on("error", lost);
    client.on("end", lost);
    try {
      await client.connect();
      await acquire(client, this.#kind, key);
      lock.held = true;
      return await work(lock);
    } finally {
      // The lock goes with its connection.
      await client.end().catch(() => {});
    }
  }
}

async function acquire(client: pg.Client, kind: number, key: string): Promise<void> {
  try {
    // Without these a server that lost its network would keep the lock for hours (no effect on a local socket).
    await client.query("set tcp_keepalives_idle = 1; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 2");
    await client.query("select pg_advisory_lock($1, hashtext($2))", [kind, key]);
  } catch (error) {
    // 55P03: lock_not_available.
    if (error instanceof Error && "code" in error && error.code === "55P03") throw new LockUnavailableError();
    throw error;
  }
}

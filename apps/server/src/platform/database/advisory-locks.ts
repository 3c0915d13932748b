import pLimit from "p-limit";
import pg from "pg";
import { isLockTimeout } from "./transactions.ts";

/** Wall-clock time. */
const WAIT_MS = 30_000;
/** Each lock that is held or waited for takes a connection of its own; further callers queue. */
const MAX_CONNECTIONS = 4;

export class LockUnavailableError extends Error {
  constructor() {
    super("Somebody else has held this lock for too long.");
    this.name = "LockUnavailableError";
  }
}

export interface HeldLock {
  /** False once the connection is lost: somebody else may hold the lock by now. */
  readonly held: boolean;
}

/**
 * PostgreSQL's advisory locks, for slow work that involves other systems: one task at a time per key, across all servers.
 * It keeps neither a transaction open nor a pool connection busy, and a process that dies frees its locks at once.
 */
export class AdvisoryLocks {
  readonly #connection: pg.ClientConfig;
  /** Identifies the kind of work: any number all servers agree on. */
  readonly #kind: number;
  readonly #waitMs: number;
  readonly #limit = pLimit(MAX_CONNECTIONS);

  constructor(connection: pg.ClientConfig, kind: number, waitMs = WAIT_MS) {
    this.#connection = connection;
    this.#kind = kind;
    this.#waitMs = waitMs;
  }

  /** Runs the work while holding the lock of `key`. Throws LockUnavailableError, and whatever the work throws. */
  holding<T>(key: string, work: (lock: HeldLock) => Promise<T>): Promise<T> {
    return this.#limit(async () => {
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
        // Releases the lock with its connection.
        await client.end().catch(() => {});
      }
    });
  }
}

async function acquire(client: pg.Client, kind: number, key: string): Promise<void> {
  try {
    // Without these a server that lost its network would keep the lock for hours (no effect on a local socket).
    await client.query("set tcp_keepalives_idle = 1; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 2");
    await client.query("select pg_advisory_lock($1, hashtext($2))", [kind, key]);
  } catch (error) {
    if (isLockTimeout(error)) throw new LockUnavailableError();
    throw error;
  }
}

import {
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  type RawBuilder,
  sql,
  type Transaction,
} from "kysely";
import pg from "pg";
import { isDatabaseUnreachable, isQueryTimeout, NO_ANSWER } from "./database-errors.ts";
import type { Tables } from "./tables.ts";

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;
/** What a query runs on: the pool, or an open transaction. */
export type Executor = Db | Tx;

const { builtins } = pg.types;

function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw new RangeError(`${text} does not fit a number`);
  }
  return value;
}

// By default the driver returns bigint and numeric as text, and dates as local midnights; the API wants neither.
const types = new pg.TypeOverrides();
types.setTypeParser(builtins.INT8, exactNumber);
types.setTypeParser(builtins.NUMERIC, exactNumber);
types.setTypeParser(builtins.DATE, (text) => text);
types.setTypeParser(builtins.TIMESTAMP, (text) => text);

export interface OpenDatabase {
  readonly db: Db;
  /** For what needs a connection of its own: listening, advisory locks. */
  readonly connection: pg.ClientConfig;
  close(): Promise<void>;
}

/** A query without an answer after this time fails, so that calls do not hang on a database that is stuck. */
const QUERY_LIMIT_MS = 15_000;

/**
 * PostgreSQL ends a transaction that has been idle for this long, and releases its locks: its server is suspended or has
 * lost its connection, and others wait for its robots.
 */
const IDLE_LIMIT_MS = 10_000;

interface PoolOptions {
  readonly poolSize?: number;
  /** In milliseconds; 15 s by default, 0 for none. */
  readonly queryLimitMs?: number;
  /** In milliseconds; 10 s by default, 0 for none. */
  readonly idleLimitMs?: number;
  readonly onError?: (error: Error) => void;
}

const pools = new WeakMap<Db, pg.Pool>();

/** The pool behind `db`: connections in use and idle, and callers waiting for one. */
export function poolCounts(db: Db): { readonly used: number; readonly idle: number; readonly waiting: number } {
  const { totalCount = 0, idleCount = 0, waitingCount = 0 } = pools.get(db) ?? {};
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

/** Opens a pool. Errors of idle connections go to `onError`; the pool itself keeps working. */
export function openDatabase(connection: pg.ClientConfig, options: PoolOptions = {}): OpenDatabase {
  const pool = new pg.Pool(poolConfig(connection, options));
  // Otherwise an error of a connection in use would end the process; its user notices with the next query.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => options.onError?.(error));
  return databaseOn(pool, connection);
}

export function poolConfig(connection: pg.ClientConfig, options: PoolOptions = {}): pg.PoolConfig {
  return {
    ...connection,
    types,
    max: options.poolSize ?? 10,
    connectionTimeoutMillis: 5_000,
    query_timeout: options.queryLimitMs ?? QUERY_LIMIT_MS,
    idle_in_transaction_session_timeout: options.idleLimitMs ?? IDLE_LIMIT_MS,
  };
}

/** What `openDatabase` answers, on a pool with `poolConfig` that was opened before; closing it ends the pool. */
export function databaseOn(pool: pg.Pool, connection: pg.ClientConfig): OpenDatabase {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: withoutStuckConnections(pool) }) });
  pools.set(db, pool);
  return { db, connection: { ...connection, types }, close: () => db.destroy() };
}

/** The value of `change_no` for a row that this transaction changes. */
export const changedNow: RawBuilder<string> = sql`pg_current_xact_id()`;

/** For `where(column, "=", anyInt(ids))`: one parameter, however many ids there are, and no row if there are none. */
export function anyInt(ids: Iterable<number>): RawBuilder<number> {
  return sql`any(${[...ids]}::int[])`;
}

/** The same for uuids. */
export function anyUuid(ids: Iterable<string>): RawBuilder<string> {
  return sql`any(${[...ids]}::uuid[])`;
}

export async function databaseNow(db: Executor): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]?.now ?? new Date();
}

/**
 * The pool, except that a connection whose query timed out is closed instead of being handed to the next caller, who
 * would wait behind that query.
 */
function withoutStuckConnections(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    connect: async () => new WatchedClient(await pool.connect()),
    end: () => pool.end(),
  };
}

class WatchedClient implements PostgresPoolClient {
  readonly #client: PostgresPoolClient;
  #stuck = false;

  constructor(client: PostgresPoolClient) {
    this.#client = client;
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    query: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    return typeof query === "string" ? this.#queryText<R>(query, parameters) : this.#client.query(query);
  }

  async #queryText<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // A transaction's rollback would only wait, too.
    if (this.#stuck) throw new Error(NO_ANSWER);
    try {
      return await this.#client.query<R>(text, parameters);
    } catch (error) {
      if (isQueryTimeout(error)) this.#stuck = true;
      throw error;
    }
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#stuck);
  }
}

/** With the code of PostgreSQL's own error for a write on a standby or a read-only database. */
class ReadOnlyError extends Error {
  readonly code = "25006";
}

/** Rejects, as a write would, if the database is read-only. */
export async function rejectReadOnly(db: Db): Promise<void> {
  const { rows } = await sql<{ reads_only: boolean }>`
    select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as reads_only
  `.execute(db);
  if (rows[0]?.reads_only !== false) throw new ReadOnlyError("The database only reads.");
}

/** With 64 kB of memory, PostgreSQL needs a temporary file for these some 100 kB of rows. */
export const spillToDisk = sql`select count(*) from generate_series(1, 5000)`;

/**
 * Rejects if the database cannot store anything. Writes a little to its disk, by spilling rows, and to its write-ahead
 * log; touches no table, and leaves nothing behind.
 */
export async function probeWrite(db: Db): Promise<void> {
  await rejectReadOnly(db);
  try {
    await db.transaction().execute(async (tx) => {
      await sql`set local work_mem = '64kB'`.execute(tx);
      await spillToDisk.execute(tx);
      await sql`select pg_logical_emit_message(true, 'suncrew', 'ready?')`.execute(tx);
    });
  } catch (error) {
    // A missing permission is no fault of the database.
    if (isDatabaseUnreachable(error)) throw error;
  }
}

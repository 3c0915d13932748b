import { Kysely, PostgresDialect, type RawBuilder, sql, type Transaction } from "kysely";
import pg from "pg";
import { withoutStuckConnections } from "./query-limit.ts";
import type { Tables } from "./schema.ts";

export type Db = Kysely<Tables>;
/** A connection inside a transaction. */
export type Tx = Transaction<Tables>;
/** What a query runs on: the pool, or a transaction under way. */
export type Executor = Db | Tx;

const { builtins } = pg.types;

function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw new RangeError(`${text} does not fit a number`);
  }
  return value;
}

// The driver answers bigint and numeric as text and turns dates into local midnights; the wire wants neither.
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

/** A query without an answer after this long fails, so that calls do not hang on a database that stands still. */
const QUERY_LIMIT_MS = 15_000;

/**
 * A transaction that says nothing for so long is ended by PostgreSQL, and gives up its locks: it is that of a server that
 * stands still, or of one whose connection is gone, and others wait for its robots.
 */
const IDLE_LIMIT_MS = 10_000;

interface PoolOptions {
  readonly poolSize?: number;
  /** In milliseconds; 15 s unless given, 0 for none. */
  readonly queryLimitMs?: number;
  /** In milliseconds; 10 s unless given, 0 for none. */
  readonly idleLimitMs?: number;
  readonly onError?: (error: Error) => void;
}

const pools = new WeakMap<Db, pg.Pool>();

/** Connections of the pool behind `db`: in use, idle, and callers that wait for one. */
export function poolCounts(db: Db): { readonly used: number; readonly idle: number; readonly waiting: number } {
  const { totalCount = 0, idleCount = 0, waitingCount = 0 } = pools.get(db) ?? {};
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

/** Opens a pool. Errors of idle connections are handed to `onError`; the pool itself goes on. */
export function openDatabase(connection: pg.ClientConfig, options: PoolOptions = {}): OpenDatabase {
  const pool = new pg.Pool({
    ...connection,
    types,
    max: options.poolSize ?? 10,
    connectionTimeoutMillis: 5_000,
    query_timeout: options.queryLimitMs ?? QUERY_LIMIT_MS,
    idle_in_transaction_session_timeout: options.idleLimitMs ?? IDLE_LIMIT_MS,
  });
  // A connection in use that is ended would end the process; whoever uses it hears so from its next query.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => options.onError?.(error));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: withoutStuckConnections(pool) }) });
  pools.set(db, pool);
  return { db, connection: { ...connection, types }, close: () => db.destroy() };
}

/** The value of `change_no` for a row that this transaction changes. */
export const changedNow: RawBuilder<string> = sql`pg_current_xact_id()`;

/** The database server's own time. */
export async function databaseNow(db: Executor): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]?.now ?? new Date();
}

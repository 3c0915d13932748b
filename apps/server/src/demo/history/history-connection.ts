import { createHash } from "node:crypto";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import pg from "pg";
import type { Db } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/schema.ts";

/** Holds off other servers that start on the same database meanwhile. */
const HISTORY_LOCK = 7_305_005;

/**
 * One connection for tens of thousands of small statements: they are prepared once, and what usually commits by itself
 * is committed many at a time, without waiting for the disk.
 */
export class HistoryConnection implements Driver, DatabaseConnection {
  readonly db: Db;
  readonly #client: pg.Client;
  readonly #names = new Map<string, string>();

  private constructor(client: pg.Client) {
    this.#client = client;
    this.db = new Kysely<Tables>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => this,
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });
  }

  /** Connects, waits for its turn and begins a transaction. Rejects where the database cannot be reached. */
  static async open(settings: pg.ClientConfig): Promise<HistoryConnection> {
    const client = new pg.Client(settings);
    // A database that goes away is met by the statement under way.
    client.on("error", () => undefined);
    await client.connect();
    await client.query("set synchronous_commit = off");
    await client.query("select pg_advisory_lock($1)", [HISTORY_LOCK]);
    await client.query("begin");
    return new HistoryConnection(client);
  }

  /** Keeps what was written so far. */
  async save(): Promise<void> {
    await this.#client.query("commit");
    await this.#client.query("begin");
  }

  /** Keeps what was written since the last time as the end of it all; the disk is waited for. */
  async finish(): Promise<void> {
    await this.#client.query("set local synchronous_commit = on");
    await this.#client.query("commit");
  }

  /** What was not saved is forgotten. */
  async close(): Promise<void> {
    await this.#client.end();
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    // Thousands of notices that nobody listens for yet.
    if (sql.startsWith("select pg_notify")) return { rows: [] };
    const { command, rowCount, rows } = await this.#client.query<R & pg.QueryResultRow>({
      name: this.#nameOf(sql),
      text: sql,
      values: [...parameters],
    });
    const isChange = command === "INSERT" || command === "UPDATE" || command === "DELETE";
    return isChange ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
  }

  #nameOf(sql: string): string {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    const name = createHash("sha1").update(sql).digest("base64url");
    this.#names.set(sql, name);
    return name;
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error("The demo's history is not read as a stream.");
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this;
  }

  async init(): Promise<void> {}
  // Its own transactions are part of the one under way; a step that fails fails the whole history.
  async beginTransaction(): Promise<void> {}
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

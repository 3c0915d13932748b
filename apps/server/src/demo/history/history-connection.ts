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
import type { Tables } from "../../platform/database/tables.ts";

/** Makes other servers that start on the same database wait. */
const HISTORY_LOCK = 7_305_005;

/**
 * One connection for tens of thousands of small statements: they are prepared once, and transactions are committed in
 * large batches, without waiting for the disk.
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

  /** Connects, waits for the lock and begins a transaction. Rejects if the database cannot be reached. */
  static async open(settings: pg.ClientConfig): Promise<HistoryConnection> {
    const client = new pg.Client(settings);
    // A lost connection fails the statement in progress.
    client.on("error", () => undefined);
    await client.connect();
    await client.query("set synchronous_commit = off");
    await client.query("select pg_advisory_lock($1)", [HISTORY_LOCK]);
    await client.query("begin");
    return new HistoryConnection(client);
  }

  async save(): Promise<void> {
    await this.#client.query("commit");
    await this.#client.query("begin");
  }

  /** The last commit, which waits for the disk. */
  async finish(): Promise<void> {
    await this.#client.query("set local synchronous_commit = on");
    await this.#client.query("commit");
  }

  /** Discards what was not saved. */
  async close(): Promise<void> {
    await this.#client.end();
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    // Thousands of notifications without a listener.
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
  // Transactions are part of the open one; a failing step fails the whole history.
  async beginTransaction(): Promise<void> {}
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

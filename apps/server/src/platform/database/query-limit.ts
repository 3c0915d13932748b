import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type pg from "pg";

/** What the driver says where a query got no answer within its limit; it carries no code. */
const NO_ANSWER = "Query read timeout";

export function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === NO_ANSWER;
}

/**
 * The pool, but a connection on which a query got no answer is closed instead of being handed to the next caller, who
 * would wait behind that query.
 */
export function withoutStuckConnections(pool: pg.Pool): PostgresPool {
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
    what: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    return typeof what === "string" ? this.#ask<R>(what, parameters) : this.#client.query(what);
  }

  async #ask<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    // Also a transaction's rollback would only wait.
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

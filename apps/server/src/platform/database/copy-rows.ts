import pg from "pg";
import { databaseOn, type OpenDatabase, poolConfig } from "./database.ts";

/** A database on a single connection, whose driver's client can also copy rows: in the transaction that is open on it. */
export interface CopyingDatabase extends OpenDatabase {
  /** The connection itself. Throws before the first query. */
  readonly client: () => pg.ClientBase;
}

/** Nothing on it has a time limit. */
export function openCopyingDatabase(connection: pg.ClientConfig): CopyingDatabase {
  const pool = new pg.Pool(poolConfig(connection, { poolSize: 1, queryLimitMs: 0, idleLimitMs: 0 }));
  let connected: pg.ClientBase | null = null;
  pool.on("connect", (client) => {
    connected = client;
    client.on("error", () => {});
  });
  pool.on("error", () => {});
  return {
    ...databaseOn(pool, connection),
    client: () => {
      if (connected === null) throw new Error("There is no connection yet.");
      return connected;
    },
  };
}

/** Rows are handed over in pieces of about this size, in bytes. */
const PIECE_BYTES = 8 * 1_024 * 1_024;

/**
 * Runs a `copy ... to stdout`, and hands its rows over as PostgreSQL writes them, in pieces that may end anywhere. The
 * next piece is read once the previous one has been taken. Answers how many rows there were.
 */
export async function copyOut(
  client: pg.ClientBase,
  statement: string,
  take: (piece: Buffer) => Promise<void>,
): Promise<number> {
  const copy = new CopyOut(statement, take);
  client.query(copy);
  return copy.ended;
}

/** Runs a `copy ... from stdin` with these pieces of rows; answers how many rows there were. */
export async function copyIn(client: pg.ClientBase, statement: string, pieces: AsyncIterable<Buffer>): Promise<number> {
  const copy = new CopyIn(statement, pieces);
  client.query(copy);
  return copy.ended;
}

/** What the driver calls on the query in progress; it leaves COPY to such objects. */
abstract class Copy implements pg.Submittable {
  readonly #statement: string;
  readonly #ended = Promise.withResolvers<number>();
  #rows = 0;
  protected failure: Error | null = null;

  constructor(statement: string) {
    this.#statement = statement;
  }

  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#statement);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#rows = Number(/^COPY (\d+)$/.exec(text)?.[1] ?? 0);
  }

  handleReadyForQuery(): void {
    void this.settle();
  }

  /** The driver then no longer tells it that PostgreSQL is ready. */
  handleError(error: Error): void {
    this.failure ??= error;
    this.#ended.reject(this.failure);
  }

  protected async settle(): Promise<void> {
    if (this.failure === null) this.#ended.resolve(this.#rows);
    else this.#ended.reject(this.failure);
  }
}

class CopyOut extends Copy {
  readonly #take: (piece: Buffer) => Promise<void>;
  #connection: pg.Connection | null = null;
  #rows: Buffer[] = [];
  #bytes = 0;
  #taking: Promise<void> | null = null;

  constructor(statement: string, take: (piece: Buffer) => Promise<void>) {
    super(statement);
    this.#take = take;
  }

  override submit(connection: pg.Connection): void {
    this.#connection = connection;
    super.submit(connection);
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // The driver reads what comes next into the same memory.
    this.#rows.push(Buffer.from(chunk));
    this.#bytes += chunk.length;
    if (this.#bytes >= PIECE_BYTES && this.#taking === null) this.#taking = this.#hand();
  }

  protected override async settle(): Promise<void> {
    await this.#taking;
    if (this.failure === null && this.#bytes > 0) await this.#hand();
    await super.settle();
  }

  async #hand(): Promise<void> {
    const { stream } = this.#connection ?? {};
    const piece = Buffer.concat(this.#rows);
    this.#rows = [];
    this.#bytes = 0;
    stream?.pause();
    try {
      // A row may be larger than a piece.
      for (let at = 0; at < piece.length; at += PIECE_BYTES) await this.#take(piece.subarray(at, at + PIECE_BYTES));
    } catch (error) {
      this.failure ??= error instanceof Error ? error : new Error(String(error));
      // Nobody takes the rest: the connection is closed rather than read to its end.
      stream?.destroy(this.failure);
    }
    stream?.resume();
    this.#taking = null;
  }
}

class CopyIn extends Copy {
  readonly #pieces: AsyncIterable<Buffer>;

  constructor(statement: string, pieces: AsyncIterable<Buffer>) {
    super(statement);
    this.#pieces = pieces;
  }

  handleCopyInResponse(connection: pg.Connection): void {
    void this.#send(connection.stream);
  }

  async #send(stream: pg.Connection["stream"]): Promise<void> {
    try {
      for await (const piece of this.#pieces) {
        if (this.failure !== null) return;
        await write(stream, copyMessage("d", piece));
      }
      await write(stream, copyMessage("c", Buffer.alloc(0)));
    } catch (error) {
      this.failure ??= error instanceof Error ? error : new Error(String(error));
      // PostgreSQL answers it with an error, and is ready again.
      await write(stream, copyMessage("f", Buffer.from("The rows could not be read.\0"))).catch(() => {});
    }
  }
}

/** A message of PostgreSQL's protocol: its letter, its length with that of the length itself, its content. */
function copyMessage(letter: "c" | "d" | "f", content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter, 0, "latin1");
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

function write(stream: pg.Connection["stream"], bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

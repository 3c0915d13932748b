import { setPriority } from "node:os";
import type { Readable } from "node:stream";
import type pg from "pg";
import { type OpenDatabase, openDatabase } from "../database/database.ts";
import { copyError, type FromWorker, type TaskContext, type ToWorker, type WorkerTask } from "./worker-task.ts";

/** Whatever else has to be done comes first: a person's Stop above all. */
const NICENESS = 10;
/** A task asks one thing at a time; a file that is being read page by page asks beside it. */
const POOL_SIZE = 2;

interface Begun {
  readonly abort: AbortController;
  /** Lets the file go on; null while nothing waits for its reader. */
  goOn: (() => void) | null;
}

/** What a worker process does from its beginning to its end: the tasks it is given. */
export function doTasks(tasks: readonly WorkerTask<never, unknown>[]): void {
  if (process.send === undefined) throw new Error("This is the program of a worker, which a server starts.");
  setPriority(NICENESS);
  // A Ctrl-C reaches every process of the terminal; this one ends with its server, however that ends.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("disconnect", () => process.exit());
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const databases = new Map<string, OpenDatabase>();
  const begun = new Map<number, Begun>();
  const tell = (message: FromWorker) => process.send?.(message);

  const databaseOf = (connection: pg.ClientConfig): OpenDatabase => {
    const key = JSON.stringify(connection);
    const known = databases.get(key) ?? openDatabase(connection, { poolSize: POOL_SIZE });
    databases.set(key, known);
    return known;
  };

  const begin = async ({ id, task, given, connection }: Extract<ToWorker, { kind: "begin" }>): Promise<void> => {
    const mine: Begun = { abort: new AbortController(), goOn: null };
    begun.set(id, mine);
    try {
      const { work } = byName.get(task) ?? {};
      if (work === undefined) throw new Error(`There is no task ${task}.`);
      const context: TaskContext = { db: databaseOf(connection).db, signal: mine.abort.signal };
      // Given by the same task's own `run`, whose types are those of its work.
      const { value, bytes } = await work(given as never, context);
      tell({ kind: "value", id, value, hasBytes: bytes !== null });
      if (bytes !== null) await send(id, bytes, mine);
      tell({ kind: "done", id });
    } catch (error) {
      tell({ kind: "failed", id, error: copyError(error) });
    } finally {
      begun.delete(id);
    }
  };

  /** One piece at a time, the next when the last was taken. */
  const send = async (id: number, bytes: Readable, mine: Begun): Promise<void> => {
    const end = () => bytes.destroy();
    mine.abort.signal.addEventListener("abort", end);
    if (mine.abort.signal.aborted) end();
    const pieces: AsyncIterable<string | Uint8Array> = bytes;
    for await (const piece of pieces) {
      const taken = Promise.withResolvers<void>();
      mine.goOn = taken.resolve;
      tell({ kind: "bytes", id, bytes: typeof piece === "string" ? Buffer.from(piece, "utf8") : piece });
      await taken.promise;
    }
  };

  process.on("message", (message: ToWorker) => {
    if (message.kind === "begin") return void begin(message);
    if (message.kind === "forget") {
      const key = JSON.stringify(message.connection);
      const database = databases.get(key);
      databases.delete(key);
      return void Promise.resolve(database?.close()).finally(() => tell({ kind: "done", id: message.id }));
    }
    const mine = begun.get(message.id);
    if (message.kind === "abort") mine?.abort.abort();
    mine?.goOn?.();
  });
}

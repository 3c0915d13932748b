import { setPriority } from "node:os";
import type { Readable } from "node:stream";
import type pg from "pg";
import { type OpenDatabase, openDatabase } from "../database/database.ts";
import { copyError, type FromWorker, type TaskContext, type ToWorker, type WorkerTask } from "./worker-task.ts";

/** Everything else comes first: a person's Stop above all. */
const NICENESS = 10;
/** A task runs one query at a time; a file that is being read page by page needs another connection. */
const POOL_SIZE = 2;

interface ActiveTask {
  readonly abort: AbortController;
  /** Continues the file; null unless it waits for its reader. */
  resume: (() => void) | null;
}

/** Runs a worker process until its server disconnects. */
export function runWorker(tasks: readonly WorkerTask<never, unknown>[]): void {
  if (process.send === undefined) throw new Error("This is the program of a worker, which a server starts.");
  setPriority(NICENESS);
  // A Ctrl-C reaches every process of the terminal, but this one ends with its server.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("disconnect", () => process.exit());
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const databases = new Map<string, OpenDatabase>();
  const active = new Map<number, ActiveTask>();
  const post = (message: FromWorker) => process.send?.(message);

  const databaseOf = (connection: pg.ClientConfig): OpenDatabase => {
    const key = JSON.stringify(connection);
    const known = databases.get(key) ?? openDatabase(connection, { poolSize: POOL_SIZE });
    databases.set(key, known);
    return known;
  };

  const begin = async ({ id, task, input, connection }: Extract<ToWorker, { kind: "begin" }>): Promise<void> => {
    const current: ActiveTask = { abort: new AbortController(), resume: null };
    active.set(id, current);
    try {
      const { work } = byName.get(task) ?? {};
      if (work === undefined) throw new Error(`There is no task ${task}.`);
      const context: TaskContext = { db: databaseOf(connection).db, signal: current.abort.signal };
      // From the same task's `run`, whose types are those of its work.
      const { value, bytes } = await work(input as never, context);
      post({ kind: "value", id, value, hasBytes: bytes !== null });
      if (bytes !== null) await send(id, bytes, current);
      post({ kind: "done", id });
    } catch (error) {
      post({ kind: "failed", id, error: copyError(error) });
    } finally {
      active.delete(id);
    }
  };

  /** One chunk at a time, the next once the last was read. */
  const send = async (id: number, bytes: Readable, current: ActiveTask): Promise<void> => {
    const end = () => bytes.destroy();
    current.abort.signal.addEventListener("abort", end);
    if (current.abort.signal.aborted) end();
    const chunks: AsyncIterable<string | Uint8Array> = bytes;
    for await (const chunk of chunks) {
      const taken = Promise.withResolvers<void>();
      current.resume = taken.resolve;
      post({ kind: "bytes", id, bytes: typeof chunk === "string" ? Buffer.from(chunk, "utf8") : chunk });
      await taken.promise;
    }
  };

  process.on("message", (message: ToWorker) => {
    if (message.kind === "begin") return void begin(message);
    if (message.kind === "forget") {
      const key = JSON.stringify(message.connection);
      const database = databases.get(key);
      databases.delete(key);
      return void Promise.resolve(database?.close()).finally(() => post({ kind: "done", id: message.id }));
    }
    const current = active.get(message.id);
    if (message.kind === "abort") current?.abort.abort();
    current?.resume?.();
  });
}

import { availableParallelism } from "node:os";
import { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type pg from "pg";
import type { Cancel } from "../clock.ts";
import { type Asker, FairQueue, type FairQueueOptions, type Turn } from "../fair-queue.ts";
import { HttpError } from "../http/http-error.ts";
import type { Parts, Service } from "../parts.ts";
import type { Viewer } from "../viewer.ts";
import {
  errorFromCopy,
  type FromWorker,
  type FileTask,
  type MadeFile,
  type ToWorker,
  type WorkerTask,
} from "./worker-task.ts";

/** Two even on a small machine, so that one long report does not hold up a short file. */
const THREADS = Math.min(4, Math.max(2, availableParallelism() - 1));
/** What is far above the largest report; a thread that needs more ends alone. */
const THREAD_MEMORY_MB = 1_024;
/** Nobody who clicks has more waiting. */
const WAITING_PER_PERSON = 10;
const WAITING = 500;
/** Whoever stops reading a file keeps no work open for longer. */
const UNREAD_MS = 60_000;

const program = new URL("../../worker.ts", import.meta.url);

/** Of a person's own call; partners are teams, and so are the operators. */
export function askerOf({ userId, partnerId }: Viewer): Asker {
  return { person: `user ${userId}`, team: partnerId === null ? "operators" : `partner ${partnerId}` };
}

export interface Terms {
  readonly asker: Asker;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

const limits: FairQueueOptions = {
  atOnce: THREADS,
  waitingPerPerson: WAITING_PER_PERSON,
  waiting: WAITING,
  refusal: (whose) =>
    new HttpError(
      429,
      whose === "person"
        ? `You have ${WAITING_PER_PERSON} files and reports waiting already. Try again when one of them is done.`
        : "The server has too many files and reports to work on. Please try again in a minute.",
    ),
};

/** Does the heavy work of people's calls in threads of their own, fairly and a little at a time. */
export class Workers implements Service {
  readonly #clock: Parts["clock"];
  readonly #log: Parts["log"];
  /** As it can be copied to a thread: without the parsers, which every pool brings itself. */
  readonly #connection: pg.ClientConfig;
  readonly #long = new FairQueue(limits);
  readonly #short = new FairQueue(limits);

  constructor({ clock, log, connection }: Pick<Parts, "clock" | "log" | "connection">) {
    this.#clock = clock;
    this.#log = log;
    const { types: _parsers, ...copied } = connection;
    this.#connection = copied;
  }

  async start(): Promise<void> {}

  /** Ends the threads' connections to this server's database. */
  async stop(): Promise<void> {
    await Promise.all([...threads].map((thread) => thread.forget(this.#connection)));
  }

  /**
   * What the task comes to. Throws what the task throws, 429 where this person or everybody has too much waiting, and 503
   * where its thread was lost.
   */
  async run<A, V>(task: WorkerTask<A, V>, given: A, terms: Terms): Promise<V> {
    const { value } = await this.#begin(task, given, terms);
    return value;
  }

  /** The same for a file, whose bytes follow as fast as they are taken: until then it is the person's piece of work. */
  async make<A, V>(task: FileTask<A, V>, given: A, terms: Terms): Promise<MadeFile<V>> {
    const { value, bytes } = await this.#begin(task, given, terms);
    if (bytes === null) throw new TypeError(`The task ${task.name} has made no file.`);
    return { value, bytes };
  }

  async #begin<A, V>(task: WorkerTask<A, V>, given: A, { asker, signal }: Terms): Promise<Answer<V>> {
    const turn = await (task.isShort === true ? this.#short : this.#long).enter(asker, signal);
    const begin = { task: task.name, given, connection: this.#connection };
    const { value, bytes } = await leastBusy(this.#log).run(begin, signal, () => turn.end());
    if (bytes !== null) this.#whileRead(bytes, turn);
    // The thread has done this very task.
    return { value: value as V, bytes };
  }

  /** The next person's work goes on beside a file that is being read, and one that nobody reads is ended. */
  #whileRead(bytes: WorkerBytes, turn: Turn): void {
    turn.yield();
    let cancel: Cancel = () => {};
    bytes.onUnread = () => {
      cancel();
      cancel = this.#clock.after(UNREAD_MS, () => bytes.destroy(new Error("Nobody reads this file.")));
    };
    bytes.once("close", () => cancel());
  }
}

/** Bytes from a thread, which makes the next ones when the last were taken. */
class WorkerBytes extends Readable {
  /** There are more bytes than the reader takes at this moment. */
  onUnread: () => void = () => {};
  readonly #tell: (kind: "taken" | "abort") => void;
  #isUntaken = false;

  constructor(tell: (kind: "taken" | "abort") => void) {
    super();
    this.#tell = tell;
  }

  override _read(): void {
    if (this.#isUntaken) this.#tell("taken");
    this.#isUntaken = false;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#tell("abort");
    done(error);
  }

  add(bytes: Uint8Array): void {
    this.#isUntaken = true;
    // Where there is room, the stream asks for more by itself.
    if (!this.push(bytes)) this.onUnread();
  }
}

interface Answer<V> {
  readonly value: V;
  readonly bytes: WorkerBytes | null;
}

interface Task {
  readonly value: PromiseWithResolvers<Answer<unknown>>;
  bytes: WorkerBytes | null;
  readonly onEnd: () => void;
}

/** Shared by whatever runs in this process. */
const threads = new Set<Thread>();

function leastBusy(log: Parts["log"]): Thread {
  const [first] = [...threads].toSorted((a, b) => a.taskCount - b.taskCount);
  if (first !== undefined && (first.taskCount === 0 || threads.size >= THREADS)) return first;
  const thread = new Thread(log);
  threads.add(thread);
  return thread;
}

class Thread {
  readonly #worker: Worker;
  readonly #tasks = new Map<number, Task>();
  #lastId = 0;

  constructor(log: Parts["log"]) {
    this.#worker = new Worker(program, {
      // None of what the main program was begun with is meant for a thread.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MB },
    });
    this.#worker.unref();
    this.#worker.on("message", (message: FromWorker) => this.#hear(message));
    this.#worker.on("error", (error) => log.error({ error }, "a thread for heavy work ended"));
    this.#worker.on("exit", () => this.#lose());
  }

  get taskCount(): number {
    return this.#tasks.size;
  }

  /** Resolves with the task's value; `onEnd` is called once the thread has nothing to do for it any more. */
  async run(
    begin: Omit<Extract<ToWorker, { kind: "begin" }>, "kind" | "id">,
    signal: AbortSignal,
    onEnd: () => void,
  ): Promise<Answer<unknown>> {
    const { id, task } = this.#add(onEnd);
    if (signal.aborted) {
      this.#end(id);
      throw signal.reason;
    }
    this.#post({ kind: "begin", id, ...begin });
    const abort = () => {
      this.#tell("abort", id);
      task.value.reject(signal.reason);
    };
    signal.addEventListener("abort", abort);
    return task.value.promise.finally(() => signal.removeEventListener("abort", abort));
  }

  async forget(connection: pg.ClientConfig): Promise<void> {
    const done = Promise.withResolvers<void>();
    const { id, task } = this.#add(done.resolve);
    task.value.promise.catch(() => {});
    this.#post({ kind: "forget", id, connection });
    await done.promise;
  }

  #add(onEnd: () => void): { readonly id: number; readonly task: Task } {
    this.#lastId += 1;
    const task: Task = { value: Promise.withResolvers(), bytes: null, onEnd };
    this.#tasks.set(this.#lastId, task);
    this.#worker.ref();
    return { id: this.#lastId, task };
  }

  #tell(kind: "taken" | "abort", id: number): void {
    if (this.#tasks.has(id)) this.#post({ kind, id });
  }

  #post(message: ToWorker): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
    this.#worker.postMessage(message);
  }

  #hear(message: FromWorker): void {
    const task = this.#tasks.get(message.id);
    if (task === undefined) return;
    switch (message.kind) {
      case "value":
        if (message.hasBytes) task.bytes = new WorkerBytes((kind) => this.#tell(kind, message.id));
        return task.value.resolve({ value: message.value, bytes: task.bytes });
      case "bytes":
        return task.bytes?.add(message.bytes);
      case "done":
        this.#end(message.id);
        return void task.bytes?.push(null);
      case "failed":
        this.#end(message.id);
        return this.#fail(task, errorFromCopy(message.error));
    }
  }

  #fail(task: Task, error: Error): void {
    task.value.reject(error);
    task.bytes?.destroy(error);
  }

  #end(id: number): void {
    this.#tasks.get(id)?.onEnd();
    this.#tasks.delete(id);
    if (this.#tasks.size === 0) this.#worker.unref();
  }

  #lose(): void {
    threads.delete(this);
    const lost = [...this.#tasks];
    for (const [id, task] of lost) {
      this.#end(id);
      this.#fail(task, new HttpError(503, "This was too much for the server. Try again with less at a time."));
    }
  }
}

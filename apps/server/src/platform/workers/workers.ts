import { type ChildProcess, fork } from "node:child_process";
import { Socket } from "node:net";
import { availableParallelism } from "node:os";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import type { Cancel } from "../clock.ts";
import { type WorkOwner, FairQueue, type FairQueueOptions, type QueueSlot } from "../fair-queue.ts";
import { HttpError } from "../http/http-error.ts";
import type { Dependencies, Service } from "../dependencies.ts";
import type { Viewer } from "../sessions.ts";
import {
  errorFromCopy,
  type FromWorker,
  type FileTask,
  type MadeFile,
  type ToWorker,
  type WorkerTask,
} from "./worker-task.ts";

/** Two even on a small machine, so that one long report does not hold up a short file. */
const WORKERS = Math.min(4, Math.max(2, availableParallelism() - 1));
/** What is far above the largest report; a worker that needs more ends alone. */
const WORKER_MEMORY_MB = 1_024;
/** Nobody who clicks has more waiting. */
const WAITING_PER_PERSON = 10;
const WAITING = 500;
/** Whoever stops reading a file keeps no work open for longer. */
const UNREAD_MS = 60_000;

/** Of what a worker has printed so many characters are told at its end. */
const LAST_WORDS = 2_000;

const program = fileURLToPath(new URL("../../worker.ts", import.meta.url));

/** Of a person's own call; partners are teams, and so are the operators. */
export function workOwnerOf({ userId, partnerId }: Viewer): WorkOwner {
  return { person: `user ${userId}`, team: partnerId === null ? "operators" : `partner ${partnerId}` };
}

export interface TaskOptions {
  readonly asker: WorkOwner;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
}

const limits: FairQueueOptions = {
  atOnce: WORKERS,
  waitingPerPerson: WAITING_PER_PERSON,
  waiting: WAITING,
  refusal: (whose) =>
    new HttpError(
      429,
      whose === "person" ? "OWN_TASKS_PENDING" : "SERVER_BUSY",
      whose === "person"
        ? `You have ${WAITING_PER_PERSON} files and reports waiting already. Try again when one of them is done.`
        : "The server has too many files and reports to work on. Please try again in a minute.",
    ),
};

/** Does the heavy work of people's calls in processes of their own, fairly and a little at a time. */
export class Workers implements Service {
  readonly #clock: Dependencies["clock"];
  readonly #log: Dependencies["log"];
  /** As it can be copied to a worker: without the parsers, which every pool brings itself. */
  readonly #connection: pg.ClientConfig;
  readonly #long = new FairQueue(limits);
  readonly #short = new FairQueue(limits);

  constructor({ clock, log, connection }: Pick<Dependencies, "clock" | "log" | "connection">) {
    this.#clock = clock;
    this.#log = log;
    const { types: _parsers, ...copied } = connection;
    this.#connection = copied;
  }

  async start(): Promise<void> {}

  /** Ends the workers' connections to this server's database. */
  async stop(): Promise<void> {
    await Promise.all([...processes].map((worker) => worker.forget(this.#connection)));
  }

  /**
   * What the task comes to. Throws what the task throws, 429 where this person or everybody has too much waiting, and 503
   * where its worker was lost.
   */
  async run<A, V>(task: WorkerTask<A, V>, given: A, terms: TaskOptions): Promise<V> {
    const { value } = await this.#begin(task, given, terms);
    return value;
  }

  /** The same for a file, whose bytes follow as fast as they are taken: until then it is the person's piece of work. */
  async make<A, V>(task: FileTask<A, V>, given: A, terms: TaskOptions): Promise<MadeFile<V>> {
    const { value, bytes } = await this.#begin(task, given, terms);
    if (bytes === null) throw new TypeError(`The task ${task.name} has made no file.`);
    return { value, bytes };
  }

  async #begin<A, V>(task: WorkerTask<A, V>, given: A, { asker, signal }: TaskOptions): Promise<Answer<V>> {
    const turn = await (task.isShort === true ? this.#short : this.#long).enter(asker, signal);
    const begin = { task: task.name, given, connection: this.#connection };
    const { value, bytes } = await this.#start(begin, signal, turn);
    if (bytes !== null) this.#whileRead(bytes, turn);
    // The worker has done this very task.
    return { value: value as V, bytes };
  }

  /** The turn ends with the worker's work, or at once where no worker could be told of it. */
  #start(begin: Begin, signal: AbortSignal, turn: QueueSlot): Promise<Answer<unknown>> {
    try {
      return leastBusy(this.#log).run(begin, signal, () => turn.end());
    } catch (error) {
      turn.end();
      throw error;
    }
  }

  /** The next person's work goes on beside a file that is being read, and one that nobody reads is ended. */
  #whileRead(bytes: WorkerBytes, turn: QueueSlot): void {
    turn.yield();
    let cancel: Cancel = () => {};
    bytes.onRead = () => cancel();
    bytes.onUnread = () => {
      cancel = this.#clock.after(UNREAD_MS, () => bytes.destroy(new Error("Nobody reads this file.")));
    };
    bytes.once("close", () => cancel());
    // Whoever reads it hears of its failure; that nobody does yet must not end the server.
    bytes.on("error", () => {});
  }
}

/** Bytes from a worker, which makes the next ones when the last were taken. */
class WorkerBytes extends Readable {
  /** There are more bytes than the reader takes at this moment. */
  onUnread: () => void = () => {};
  /** The reader has room again. */
  onRead: () => void = () => {};
  readonly #tell: (kind: "taken" | "abort") => void;
  #isUntaken = false;

  constructor(tell: (kind: "taken" | "abort") => void) {
    super();
    this.#tell = tell;
  }

  override _read(): void {
    this.onRead();
    if (this.#isUntaken) this.#tell("taken");
    this.#isUntaken = false;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#tell("abort");
    done(error);
  }

  add(bytes: Uint8Array): void {
    if (this.destroyed) return;
    this.#isUntaken = true;
    // Where there is room, the stream asks for more by itself.
    if (!this.push(bytes)) this.onUnread();
  }
}

type Begin = Omit<Extract<ToWorker, { kind: "begin" }>, "kind" | "id">;

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
const processes = new Set<WorkerProcess>();

function leastBusy(log: Dependencies["log"]): WorkerProcess {
  const [first] = [...processes].toSorted((a, b) => a.taskCount - b.taskCount);
  if (first !== undefined && (first.taskCount === 0 || processes.size >= WORKERS)) return first;
  const started = new WorkerProcess(log);
  processes.add(started);
  return started;
}

class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #tasks = new Map<number, Task>();
  #lastId = 0;

  constructor(log: Dependencies["log"]) {
    this.#child = fork(program, {
      // None of what the server was begun with is meant for it.
      execArgv: [`--max-old-space-size=${WORKER_MEMORY_MB}`],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#holdOpen(false);
    let lastWords = "";
    const { stderr } = this.#child;
    if (stderr instanceof Socket) stderr.unref();
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      lastWords = (lastWords + text).slice(-LAST_WORDS);
    });
    this.#child.on("message", (message: FromWorker) => this.#hear(message));
    this.#child.on("error", (error) => {
      log.error({ error }, "a worker could not be started or spoken to");
      // One that never began does not end either.
      if (this.#child.pid === undefined) this.#lose();
    });
    this.#child.once("exit", (code, signal) => {
      log.error({ code, signal, tasks: this.taskCount, lastWords }, "a worker ended; its files and reports are lost");
      this.#lose();
    });
  }

  get taskCount(): number {
    return this.#tasks.size;
  }

  /** Resolves with the task's value; `onEnd` is called once the worker has nothing to do for it any more. */
  run(begin: Begin, signal: AbortSignal, onEnd: () => void): Promise<Answer<unknown>> {
    signal.throwIfAborted();
    const { id, task } = this.#add(onEnd);
    try {
      this.#post({ kind: "begin", id, ...begin });
    } catch (error) {
      this.#end(id);
      throw error;
    }
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
    this.#holdOpen(true);
    return { id: this.#lastId, task };
  }

  #tell(kind: "taken" | "abort", id: number): void {
    if (this.#tasks.has(id)) this.#post({ kind, id });
  }

  #post(message: ToWorker): void {
    // One that has ended is lost as a whole.
    this.#child.send(message, () => {});
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
    if (this.#tasks.size === 0) this.#holdOpen(false);
  }

  /** While it has work the server's process does not end by itself. */
  #holdOpen(hasWork: boolean): void {
    for (const part of [this.#child, this.#child.channel]) {
      if (hasWork) part?.ref();
      else part?.unref();
    }
  }

  #lose(): void {
    processes.delete(this);
    const lost = [...this.#tasks];
    for (const [id, task] of lost) {
      this.#end(id);
      this.#fail(
        task,
        new HttpError(503, "TASK_TOO_LARGE", "This was too much for the server. Try again with less at a time."),
      );
    }
  }
}

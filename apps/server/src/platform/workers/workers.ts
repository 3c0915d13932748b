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

/** Two even on a small machine, so that one long report does not block a short file. */
const WORKERS = Math.min(4, Math.max(2, availableParallelism() - 1));
/** Far more than the largest report needs; a worker that needs even more dies without the server. */
const WORKER_MEMORY_MB = 1_024;
/** More than anybody queues by clicking. */
const WAITING_PER_PERSON = 10;
const WAITING = 500;
/** A file that nobody has read from for this long is abandoned. */
const UNREAD_MS = 60_000;

/** Characters of a worker's last output that are logged when it ends. */
const OUTPUT_TAIL = 2_000;

const program = fileURLToPath(new URL("../../worker.ts", import.meta.url));

/** The owner of a person's call: each partner is a team, and so are the operators. */
export function workOwnerOf({ userId, partnerId }: Viewer): WorkOwner {
  return { person: `user ${userId}`, team: partnerId === null ? "operators" : `partner ${partnerId}` };
}

export interface TaskOptions {
  readonly owner: WorkOwner;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

const limits: FairQueueOptions = {
  maxConcurrent: WORKERS,
  maxWaitingPerPerson: WAITING_PER_PERSON,
  maxWaiting: WAITING,
  refusal(whose) {
    const own = `You have ${WAITING_PER_PERSON} files and reports waiting already. Try again when one of them is done.`;
    const all = "The server has too many files and reports to work on. Please try again in a minute.";
    return whose === "person" ? new HttpError(429, "OWN_TASKS_PENDING", own) : new HttpError(429, "SERVER_BUSY", all);
  },
};

/** Does the heavy work of people's calls in separate processes, a few tasks at a time and shared out fairly. */
export class Workers implements Service {
  readonly #deps: Pick<Dependencies, "clock" | "log">;
  /** As it can be copied to a worker: without the type parsers, which every pool adds itself. */
  readonly #connection: pg.ClientConfig;
  readonly #long = new FairQueue(limits);
  readonly #short = new FairQueue(limits);

  constructor(deps: Pick<Dependencies, "clock" | "log" | "connection">) {
    this.#deps = deps;
    const { types: _parsers, ...copied } = deps.connection;
    this.#connection = copied;
  }

  async start(): Promise<void> {}

  /** Ends the workers' connections to this server's database. */
  async stop(): Promise<void> {
    await Promise.all([...processes].map((worker) => worker.forget(this.#connection)));
  }

  /** Throws what the task throws, 429 if this person or everybody has too much waiting, 503 if its worker was lost. */
  async run<A, V>(task: WorkerTask<A, V>, input: A, options: TaskOptions): Promise<V> {
    const { value } = await this.#begin(task, input, options);
    return value;
  }

  /**
   * The same for a file, whose bytes follow as fast as they are read; until the last it counts as the person's task.
   */
  async make<A, V>(task: FileTask<A, V>, input: A, options: TaskOptions): Promise<MadeFile<V>> {
    const { value, bytes } = await this.#begin(task, input, options);
    if (bytes === null) throw new TypeError(`The task ${task.name} has made no file.`);
    return { value, bytes };
  }

  async #begin<A, V>(task: WorkerTask<A, V>, input: A, { owner, signal }: TaskOptions): Promise<Answer<V>> {
    const turn = await (task.isShort === true ? this.#short : this.#long).enter(owner, signal);
    const begin = { task: task.name, input, connection: this.#connection };
    const { value, bytes } = await this.#start(begin, signal, turn);
    if (bytes !== null) this.#whileRead(bytes, turn);
    // It is the result of this very task.
    return { value: value as V, bytes };
  }

  /** The turn ends with the worker's work, or at once if no worker could be reached. */
  #start(begin: Begin, signal: AbortSignal, turn: QueueSlot): Promise<Answer<unknown>> {
    try {
      return leastBusy(this.#deps.log).run(begin, signal, () => turn.end());
    } catch (error) {
      turn.end();
      throw error;
    }
  }

  /** Other people's tasks run while a file is being read; a file that nobody reads is abandoned. */
  #whileRead(bytes: WorkerBytes, turn: QueueSlot): void {
    turn.yield();
    let cancel: Cancel = () => {};
    bytes.onRead = () => cancel();
    bytes.onUnread = () => {
      cancel = this.#deps.clock.after(UNREAD_MS, () => bytes.destroy(new Error("Nobody reads this file.")));
    };
    bytes.once("close", () => cancel());
    // Its reader handles failures; one before there is a reader must not end the server.
    bytes.on("error", () => {});
  }
}

/** Bytes from a worker, which produces more once the last ones were read. */
class WorkerBytes extends Readable {
  /** The reader's buffer is full. */
  onUnread: () => void = () => {};
  /** The reader has room again. */
  onRead: () => void = () => {};
  readonly #send: (kind: "taken" | "abort") => void;
  #isUnread = false;

  constructor(send: (kind: "taken" | "abort") => void) {
    super();
    this.#send = send;
  }

  override _read(): void {
    this.onRead();
    if (this.#isUnread) this.#send("taken");
    this.#isUnread = false;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#send("abort");
    done(error);
  }

  add(bytes: Uint8Array): void {
    if (this.destroyed) return;
    this.#isUnread = true;
    // While there is room, the stream calls `_read` by itself.
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

/** Shared by everything in this process. */
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
      // None of the server's own options.
      execArgv: [`--max-old-space-size=${WORKER_MEMORY_MB}`],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#keepAlive(false);
    let output = "";
    const { stderr } = this.#child;
    if (stderr instanceof Socket) stderr.unref();
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-OUTPUT_TAIL);
    });
    this.#child.on("message", (message: FromWorker) => this.#onMessage(message));
    this.#child.on("error", (error) => {
      log.error({ error }, "a worker could not be started or reached");
      // A process that never started emits no exit.
      if (this.#child.pid === undefined) this.#lose();
    });
    this.#child.once("exit", (code, signal) => {
      const fields = { code, signal, tasks: this.taskCount, lastWords: output };
      log.error(fields, "a worker exited; its files and reports are lost");
      this.#lose();
    });
  }

  get taskCount(): number {
    return this.#tasks.size;
  }

  /** Resolves with the task's value; `onEnd` is called once the worker has nothing left to do for it. */
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
      this.#sendIfOpen("abort", id);
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
    this.#keepAlive(true);
    return { id: this.#lastId, task };
  }

  #sendIfOpen(kind: "taken" | "abort", id: number): void {
    if (this.#tasks.has(id)) this.#post({ kind, id });
  }

  #post(message: ToWorker): void {
    // If the process has ended, `exit` fails all of its tasks.
    this.#child.send(message, () => {});
  }

  #onMessage(message: FromWorker): void {
    const task = this.#tasks.get(message.id);
    if (task === undefined) return;
    switch (message.kind) {
      case "value":
        if (message.hasBytes) task.bytes = new WorkerBytes((kind) => this.#sendIfOpen(kind, message.id));
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
    if (this.#tasks.size === 0) this.#keepAlive(false);
  }

  /** While it has work, the server's process does not exit by itself. */
  #keepAlive(hasWork: boolean): void {
    for (const part of [this.#child, this.#child.channel]) {
      if (hasWork) part?.ref();
      else part?.unref();
    }
  }

  #lose(): void {
    processes.delete(this);
    const text = "This was too much for the server. Try again with less at a time.";
    const lost = [...this.#tasks];
    for (const [id, task] of lost) {
      this.#end(id);
      this.#fail(task, new HttpError(503, "TASK_TOO_LARGE", text));
    }
  }
}

import pLimit from "p-limit";
import type { Logger } from "pino";
import { Counter, Histogram } from "prom-client";
import type { Cancel, Clock } from "./clock.ts";
import type { Dependencies, Service } from "./dependencies.ts";

/** Repeated work, one round at a time; a round that fails is logged, and the next makes up for it. */
export class PeriodicTask {
  readonly #log: Logger;
  readonly #work: () => Promise<void>;
  #under: Promise<void> | null = null;

  constructor(log: Logger, work: () => Promise<void>) {
    this.#log = log;
    this.#work = work;
  }

  /** Starts a round, unless one is in progress; resolves at its end. */
  async run(): Promise<void> {
    this.#under ??= this.#round();
    await this.#under;
  }

  /** Resolves at the end of the round in progress. */
  async idle(): Promise<void> {
    await this.#under;
  }

  async #round(): Promise<void> {
    try {
      await this.#work();
    } catch (error) {
      this.#log.error({ error }, "periodic work failed; the next round makes up for it");
    } finally {
      this.#under = null;
    }
  }
}

/** Of this process, for its metrics page to register. */
export const taskDuration = new Histogram({
  name: "suncrew_task_duration_seconds",
  help: "Rounds of periodic work on this server, by task",
  labelNames: ["task"],
  buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120],
  registers: [],
});
export const taskFailures = new Counter({
  name: "suncrew_task_failures_total",
  help: "Rounds of periodic work that failed and were left to the next, by task",
  labelNames: ["task"],
  registers: [],
});

interface TaskSpec {
  /** For log and metrics. */
  readonly name: string;
  readonly everyMs: number;
  /** `signal` is aborted by `stop`, for work that need not be finished by this server. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** True for a first round as it starts. */
  readonly atStart?: boolean;
}

/** Runs tasks by the clock between `start` and `stop`, each one round at a time and apart from the others. */
export class PeriodicTasks implements Service {
  readonly #clock: Clock;
  readonly #tasks: readonly (TaskSpec & { readonly task: PeriodicTask })[];
  #cancels: Cancel[] = [];
  #stopping = new AbortController();

  constructor({ clock, log }: Pick<Dependencies, "clock" | "log">, tasks: readonly TaskSpec[]) {
    this.#clock = clock;
    this.#tasks = tasks.map((spec) => {
      taskFailures.inc({ task: spec.name }, 0);
      return { ...spec, task: new PeriodicTask(log.child({ task: spec.name }), () => this.#measured(spec)) };
    });
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
    this.#cancels = this.#tasks.map(({ everyMs, task }) => this.#clock.every(everyMs, () => void task.run()));
    for (const { atStart, task } of this.#tasks) if (atStart === true) void task.run();
  }

  /** Resolves at the end of the rounds in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const cancel of this.#cancels) cancel();
    this.#cancels = [];
    await Promise.all(this.#tasks.map(({ task }) => task.idle()));
  }

  /** One round of the task with this name. */
  async run(name: string): Promise<void> {
    await this.#tasks.find((each) => each.name === name)?.task.run();
  }

  /** One round of each, in their order, or all at the same time. */
  async runOnce({ together = false } = {}): Promise<void> {
    if (together) await Promise.all(this.#tasks.map(({ task }) => task.run()));
    else for (const { task } of this.#tasks) await task.run();
  }

  async #measured({ name, work }: TaskSpec): Promise<void> {
    const end = taskDuration.startTimer({ task: name });
    try {
      await work(this.#stopping.signal);
    } catch (error) {
      taskFailures.inc({ task: name });
      throw error;
    } finally {
      end();
    }
  }
}

/** Processes a list, `maxConcurrent` items at a time; `work` handles its own failures. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  maxConcurrent: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  await pLimit(maxConcurrent).map(items, work);
}

const READ_EVERY_MS = 5_000;
/** At most this share of the time is spent reading, however large the fleet is. */
const SHARE_OF_TIME = 0.01;

/**
 * The last value read from the database, refreshed every few seconds, for the one command that must not wait for it:
 * Stop.
 */
export class CachedSnapshot<T> extends PeriodicTasks {
  #value: T | null = null;
  #restUntilMs = 0;
  /** How long the previous read took. */
  #tookMs = 0;

  constructor(deps: Pick<Dependencies, "clock" | "log">, read: () => Promise<T>) {
    const work = async () => {
      if (performance.now() < this.#restUntilMs) return;
      const beganMs = performance.now();
      this.#value = await read();
      const endedMs = performance.now();
      // One slow read, such as a server's first, is no measure.
      this.#restUntilMs = endedMs + Math.min(this.#tookMs, endedMs - beganMs) / SHARE_OF_TIME;
      this.#tookMs = endedMs - beganMs;
    };
    super(deps, [{ name: "snapshot", everyMs: READ_EVERY_MS, work }]);
  }

  /** Null before the first read. */
  get value(): T | null {
    return this.#value;
  }

  override async start(): Promise<void> {
    await super.start();
    await this.runOnce();
  }
}

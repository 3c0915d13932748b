import pLimit from "p-limit";
import type { Logger } from "pino";
import type { Cancel } from "./clock.ts";
import type { Dependencies, Service } from "./dependencies.ts";

/** Work that is done again and again, one round at a time; a round that fails is logged and made up for by the next. */
export class PeriodicTask {
  readonly #log: Logger;
  readonly #work: () => Promise<void>;
  #under: Promise<void> | null = null;

  constructor(log: Logger, work: () => Promise<void>) {
    this.#log = log;
    this.#work = work;
  }

  /** Begins a round, unless one is under way; resolves at its end. */
  async run(): Promise<void> {
    this.#under ??= this.#round();
    await this.#under;
  }

  /** Resolves at the end of the round under way. */
  async idle(): Promise<void> {
    await this.#under;
  }

  async #round(): Promise<void> {
    try {
      await this.#work();
    } catch (error) {
      this.#log.error({ error }, "a round of work that was due failed; the next makes up for it");
    } finally {
      this.#under = null;
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

/** The last value read from the database, refreshed every few seconds, for the one command that must not wait for it: Stop. */
export class CachedSnapshot<T> implements Service {
  readonly #deps: Pick<Dependencies, "clock">;
  readonly #rounds: PeriodicTask;
  #value: T | null = null;
  #restUntilMs = 0;
  /** How long the previous read took. */
  #tookMs = 0;
  #cancel: Cancel = () => {};

  constructor(deps: Pick<Dependencies, "clock" | "log">, read: () => Promise<T>) {
    this.#deps = deps;
    this.#rounds = new PeriodicTask(deps.log, async () => {
      if (performance.now() < this.#restUntilMs) return;
      const beganMs = performance.now();
      this.#value = await read();
      const endedMs = performance.now();
      // One slow read, such as a server's first, is no measure.
      this.#restUntilMs = endedMs + Math.min(this.#tookMs, endedMs - beganMs) / SHARE_OF_TIME;
      this.#tookMs = endedMs - beganMs;
    });
  }

  /** Null before the first read. */
  get value(): T | null {
    return this.#value;
  }

  async start(): Promise<void> {
    this.#cancel = this.#deps.clock.every(READ_EVERY_MS, () => void this.#rounds.run());
    await this.#rounds.run();
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#rounds.idle();
  }
}

import type { Cancel } from "./clock.ts";
import type { Dependencies, Service } from "./dependencies.ts";
import { PeriodicTask } from "./periodic-task.ts";

const READ_EVERY_MS = 5_000;
/** Reading takes the database at most this part of the time, however large the fleet is. */
const SHARE_OF_TIME = 0.01;

/** What the database said last, read again every few seconds, for the one order that must not wait for it: Stop. */
export class CachedSnapshot<T> implements Service {
  readonly #deps: Pick<Dependencies, "clock">;
  readonly #rounds: PeriodicTask;
  #value: T | null = null;
  #restUntilMs = 0;
  /** The read before. */
  #tookMs = 0;
  #cancel: Cancel = () => {};

  constructor(deps: Pick<Dependencies, "clock" | "log">, read: () => Promise<T>) {
    this.#deps = deps;
    this.#rounds = new PeriodicTask(deps.log, async () => {
      if (performance.now() < this.#restUntilMs) return;
      const beganMs = performance.now();
      this.#value = await read();
      const endedMs = performance.now();
      // One slow read, as the first of a server is, says nothing of how long reading takes.
      this.#restUntilMs = endedMs + Math.min(this.#tookMs, endedMs - beganMs) / SHARE_OF_TIME;
      this.#tookMs = endedMs - beganMs;
    });
  }

  /** Null until it was read for the first time. */
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

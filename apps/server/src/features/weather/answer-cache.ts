import type { Clock } from "../../platform/clock.ts";

export interface AnswerCacheOptions {
  readonly clock: Clock;
  /** How long an answer is given again, in milliseconds. */
  readonly freshMs: number;
  /** How long a failure is, so that nobody hammers a service that is down. */
  readonly failureMs: number;
  readonly maxEntries: number;
}

interface Entry<T> {
  readonly answer: Promise<T>;
  /** Null while it is on its way. */
  untilMs: number | null;
}

/** Keeps answers for a while, in bounded memory; those who ask for the same at the same time share one. */
export class AnswerCache<T> {
  readonly #options: AnswerCacheOptions;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: AnswerCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The kept answer, or failure, or that of `load`. */
  get(key: string, load: () => Promise<T>): Promise<T> {
    const { clock, freshMs, failureMs, maxEntries } = this.#options;
    const known = this.#entries.get(key);
    if (known !== undefined && (known.untilMs === null || clock.monotonicMs() < known.untilMs)) return known.answer;
    const entry: Entry<T> = { answer: load(), untilMs: null };
    entry.answer.then(
      () => (entry.untilMs = clock.monotonicMs() + freshMs),
      () => (entry.untilMs = clock.monotonicMs() + failureMs),
    );
    // A map keeps the order of insertion: the first is the oldest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > maxEntries && oldest.done !== true) this.#entries.delete(oldest.value);
    return entry.answer;
  }
}

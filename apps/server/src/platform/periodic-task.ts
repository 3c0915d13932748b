import type { Logger } from "pino";

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

/** Works through a list, `atOnce` at a time; `work` handles its own failures. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}

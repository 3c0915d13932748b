/** Runs one task at a time for each key, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #shared = new Map<string, Promise<void>>();

  /** Runs `work` once all earlier work of `key` has settled, and returns its result. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(key) ?? Promise.resolve();
    const current = previous.then(work, work);
    this.#last.set(key, current);
    try {
      return await current;
    } finally {
      if (this.#last.get(key) === current) this.#last.delete(key);
    }
  }

  /** Coalesces calls: those that wait share one run, which begins after each of them was made. */
  runShared(key: string, work: () => Promise<void>): Promise<void> {
    const waiting = this.#shared.get(key);
    if (waiting !== undefined) return waiting;
    const current = this.run(key, async () => {
      this.#shared.delete(key);
      await work();
    });
    this.#shared.set(key, current);
    return current;
  }
}

/** Runs one task at a time for each key, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #shared = new Map<string, Promise<unknown>>();

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

  /** Coalesces calls: those that wait share one run and its result; it begins after each of them was made. */
  runShared<T>(key: string, work: () => Promise<T>): Promise<T> {
    const waiting = this.#shared.get(key);
    // All work of a key has results of the same type.
    if (waiting !== undefined) return waiting as Promise<T>;
    const current = this.run(key, () => {
      this.#shared.delete(key);
      return work();
    });
    this.#shared.set(key, current);
    return current;
  }
}

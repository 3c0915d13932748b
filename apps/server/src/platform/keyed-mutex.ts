/** Lets one piece of work at a time run for each key, in the order of asking. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #shared = new Map<string, Promise<void>>();

  /** Runs `work` after all earlier work of `key` has ended, well or not; answers what it answers. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }

  /** The same for work that one may do for many: it begins after each of them has asked. */
  runShared(key: string, work: () => Promise<void>): Promise<void> {
    const waiting = this.#shared.get(key);
    if (waiting !== undefined) return waiting;
    const mine = this.run(key, async () => {
      this.#shared.delete(key);
      await work();
    });
    this.#shared.set(key, mine);
    return mine;
  }
}

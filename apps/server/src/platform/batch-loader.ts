/** Does what is asked within one turn of the event loop by one query, however many ask. */
export class BatchLoader<K, V> {
  readonly #work: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>;
  #asked: { readonly key: K; readonly answer: PromiseWithResolvers<V | null> }[] = [];

  constructor(work: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>) {
    this.#work = work;
  }

  /** What the work answers for the key; null where it has nothing for it. Rejects for all where the work fails. */
  load(key: K): Promise<V | null> {
    const answer = Promise.withResolvers<V | null>();
    if (this.#asked.length === 0) setImmediate(() => void this.#do());
    this.#asked.push({ key, answer });
    return answer.promise;
  }

  async #do(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      const found = await this.#work([...new Set(asked.map(({ key }) => key))]);
      for (const { key, answer } of asked) answer.resolve(found.get(key) ?? null);
    } catch (error) {
      for (const { answer } of asked) answer.reject(error);
    }
  }
}

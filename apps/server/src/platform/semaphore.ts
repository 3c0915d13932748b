import pLimit from "p-limit";

/** Lets a limited number of tasks run at a time; the others wait in order of arrival. */
export class Semaphore {
  readonly #limit: ReturnType<typeof pLimit>;

  constructor(maxConcurrent: number) {
    this.#limit = pLimit(maxConcurrent);
  }

  /** Resolves like `work`. Rejects at once when `signal` aborts before `work` has begun, which then never begins. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => reject(signal.reason);
      if (signal.aborted) return leave();
      signal.addEventListener("abort", leave);
      const begin = async () => {
        signal.removeEventListener("abort", leave);
        if (!signal.aborted) resolve(await work());
      };
      this.#limit(begin).catch(reject);
    });
  }
}

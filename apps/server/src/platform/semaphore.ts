/**
 * Lets a limited number of tasks run at a time; the others wait in order of arrival. Unlike p-limit it begins a task
 * synchronously while there is room, and a waiting one leaves as soon as its signal aborts.
 */
export class Semaphore {
  readonly #maxConcurrent: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Settles like `work`, which never begins if `signal` aborts before there is room. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#maxConcurrent) await this.#turn(signal);
    else this.#running += 1;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const leave = () => {
      const place = this.#waiting.indexOf(turn.resolve);
      // A task whose turn has already come passes it on in `run`.
      if (place >= 0) turn.reject(signal.reason);
      if (place >= 0) this.#waiting.splice(place, 1);
    };
    signal.throwIfAborted();
    this.#waiting.push(turn.resolve);
    signal.addEventListener("abort", leave);
    await turn.promise.finally(() => signal.removeEventListener("abort", leave));
  }
}

/** Lets so many pieces of heavy work run at a time; others wait in the order of asking. */
export class Semaphore {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `work` once there is room; answers what it answers. Work whose signal aborts meanwhile never begins. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await this.#turn(signal);
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
      // Whose turn has come gives it on by itself.
      if (place >= 0) turn.reject(signal.reason);
      if (place >= 0) this.#waiting.splice(place, 1);
    };
    signal.throwIfAborted();
    this.#waiting.push(turn.resolve);
    signal.addEventListener("abort", leave);
    await turn.promise.finally(() => signal.removeEventListener("abort", leave));
  }
}

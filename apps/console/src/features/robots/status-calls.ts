/** At most two status calls of a browser tab are under way at once, so that a Stop never waits in the browser. */
export const STATUS_CALLS_AT_ONCE = 2;

interface Waiting {
  readonly start: () => void;
}

/** A small queue: runs at most `atOnce` calls, the rest wait in order; an aborted one leaves without having run. */
export class StatusCalls {
  readonly #atOnce: number;
  readonly #waiting = new Set<Waiting>();
  #running = 0;

  constructor(atOnce: number = STATUS_CALLS_AT_ONCE) {
    this.#atOnce = atOnce;
  }

  get running(): number {
    return this.#running;
  }

  /** Runs `call` when it is its turn. Rejects with the signal's reason where it is aborted while waiting. */
  run<T>(call: () => Promise<T>, signal: AbortSignal, urgent = false): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const waiting: Waiting = {
        start: () => {
          signal.removeEventListener("abort", onAbort);
          this.#running += 1;
          void call()
            .finally(() => {
              this.#running -= 1;
              this.#next();
            })
            .then(resolve, reject);
        },
      };
      const onAbort = () => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#enqueue(waiting, urgent);
      this.#next();
    });
  }

  /** A person who presses Refresh does not wait behind the robots that are merely polled. */
  #enqueue(waiting: Waiting, urgent: boolean): void {
    if (!urgent) {
      this.#waiting.add(waiting);
      return;
    }
    const others = [...this.#waiting];
    this.#waiting.clear();
    for (const one of [waiting, ...others]) this.#waiting.add(one);
  }

  #next(): void {
    if (this.#running >= this.#atOnce) return;
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#waiting.delete(first);
    first.start();
  }
}

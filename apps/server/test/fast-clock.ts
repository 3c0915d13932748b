import type { Cancel, Clock } from "../src/platform/clock.ts";

/** Time that runs `factor` times as fast as real time, for server and robots alike. */
export class FastClock implements Clock {
  readonly #factor: number;
  readonly #startedMs = Date.now();
  readonly #startedAt = performance.now();

  constructor(factor: number) {
    this.#factor = factor;
  }

  now(): Date {
    return new Date(this.#startedMs + this.monotonicMs());
  }

  monotonicMs(): number {
    return (performance.now() - this.#startedAt) * this.#factor;
  }

  after(ms: number, work: () => void): Cancel {
    const timer = setTimeout(work, ms / this.#factor);
    return () => clearTimeout(timer);
  }

  every(ms: number, work: () => void): Cancel {
    const timer = setInterval(work, ms / this.#factor);
    return () => clearInterval(timer);
  }
}

import type { Cancel, Clock } from "../src/platform/clock.ts";

const TICK_MS = 5;
/** An interval between two ticks counts as at most this much: for the rest of it, this process was not running. */
const LONGEST_MS = 2 * TICK_MS;

interface Planned {
  atMs: number;
  readonly everyMs: number | null;
  readonly work: () => void;
}

/**
 * Time that runs `factor` times as fast as real time, for server and robots alike, which are in this process. While the
 * process is not scheduled, as on a busy machine, or the database does not answer, time pauses: no deadline passes that
 * nobody had a chance to meet.
 */
export class FastClock implements Clock {
  readonly #factor: number;
  readonly #startedMs = Date.now();
  readonly #planned = new Set<Planned>();
  #passedMs = 0;
  #tickedAt = performance.now();
  /** Asks the database. */
  #ask: (() => Promise<unknown>) | null = null;
  /** Since when it has not answered, in real time; null if it has. */
  #askedAt: number | null = null;
  /** Runs while anything is scheduled, so that a harness that was closed leaves no timer behind. */
  #ticker: ReturnType<typeof setInterval> | null = null;

  constructor(factor: number) {
    this.#factor = factor;
  }

  now(): Date {
    return new Date(this.#startedMs + this.monotonicMs());
  }

  /** Time pauses from now on whenever `ask` is not answered at once; if it rejects, only until then. */
  pauseUnlessAnswered(ask: () => Promise<unknown>): void {
    this.#ask = ask;
  }

  monotonicMs(): number {
    const untilMs = Math.min(performance.now(), (this.#askedAt ?? Infinity) + TICK_MS);
    const sinceMs = Math.max(0, untilMs - this.#tickedAt);
    const countedMs = this.#ticker === null ? sinceMs : Math.min(sinceMs, LONGEST_MS);
    return this.#passedMs + countedMs * this.#factor;
  }

  after(ms: number, work: () => void): Cancel {
    return this.#plan({ atMs: this.monotonicMs() + ms, everyMs: null, work });
  }

  every(ms: number, work: () => void): Cancel {
    return this.#plan({ atMs: this.monotonicMs() + ms, everyMs: ms, work });
  }

  #plan(planned: Planned): Cancel {
    this.#planned.add(planned);
    if (this.#ticker === null) {
      this.#count();
      this.#ticker = setInterval(() => this.#tick(), TICK_MS);
    }
    return () => {
      this.#planned.delete(planned);
      if (this.#planned.size === 0) this.#rest();
    };
  }

  /** Adds the time since the last tick. */
  #count(): void {
    this.#passedMs = this.monotonicMs();
    this.#tickedAt = performance.now();
  }

  async #askAgain(): Promise<void> {
    if (this.#ask === null || this.#askedAt !== null) return;
    this.#askedAt = performance.now();
    await this.#ask().catch(() => undefined);
    this.#count();
    this.#askedAt = null;
  }

  #tick(): void {
    this.#count();
    void this.#askAgain();
    const due = [...this.#planned].filter(({ atMs }) => atMs <= this.#passedMs);
    for (const planned of due.toSorted((one, other) => one.atMs - other.atMs)) {
      // An earlier one may have cancelled it.
      if (!this.#planned.has(planned)) continue;
      if (planned.everyMs === null) this.#planned.delete(planned);
      else planned.atMs = this.#passedMs + planned.everyMs;
      planned.work();
    }
    if (this.#planned.size === 0) this.#rest();
  }

  #rest(): void {
    if (this.#ticker === null) return;
    this.#count();
    clearInterval(this.#ticker);
    this.#ticker = null;
  }
}

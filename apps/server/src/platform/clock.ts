/** Cancels scheduled work; calling it again does nothing. */
export type Cancel = () => void;

/** Time for everything that is due, so that tests can control it. */
export interface Clock {
  now(): Date;
  /** Milliseconds since some moment of this process, for durations; unaffected when the time is set. */
  monotonicMs(): number;
  after(ms: number, work: () => void): Cancel;
  every(ms: number, work: () => void): Cancel;
}

/** Converts a reading of the monotonic clock to a time. */
export function timeAt(clock: Clock, monotonicMs: number): Date {
  return new Date(clock.now().getTime() - (clock.monotonicMs() - monotonicMs));
}

/** The result of `work`, or null after `ms` milliseconds; `work` itself continues. Rejects like `work`. */
export async function withTimeout<T>(clock: Clock, work: Promise<T>, ms: number): Promise<T | null> {
  const { promise: timeout, resolve } = Promise.withResolvers<null>();
  const cancel = clock.after(ms, () => resolve(null));
  try {
    return await Promise.race([work, timeout]);
  } finally {
    cancel();
  }
}

/**
 * Counts by the monotonic clock and is kept at the database's time, so that all servers agree and no step of the
 * machine's clock is felt (protocol rule 12). It begins with the machine's time.
 */
export class SystemClock implements Clock {
  #offsetMs = Date.now() - performance.now();

  now(): Date {
    return new Date(this.monotonicMs() + this.#offsetMs);
  }

  monotonicMs(): number {
    return performance.now();
  }

  /** Sets it ahead by this many milliseconds. */
  correct(byMs: number): void {
    this.#offsetMs += byMs;
  }

  after(ms: number, work: () => void): Cancel {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  }

  every(ms: number, work: () => void): Cancel {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  }
}

interface Timer {
  atMs: number;
  readonly everyMs: number | null;
  readonly work: () => void;
}

/** A clock that a test advances by hand. Like a process that has just started, its monotonic clock is at 0. */
export class ManualClock implements Clock {
  #nowMs = 0;
  #aheadMs: number;
  readonly #timers = new Set<Timer>();

  constructor(start: Date) {
    this.#aheadMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs + this.#aheadMs);
  }

  /** Sets the time ahead, or back if negative, by this many milliseconds; no time passes. */
  correct(byMs: number): void {
    this.#aheadMs += byMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(ms: number, work: () => void): Cancel {
    return this.#schedule({ atMs: this.#nowMs + ms, everyMs: null, work });
  }

  every(ms: number, work: () => void): Cancel {
    return this.#schedule({ atMs: this.#nowMs + ms, everyMs: ms, work });
  }

  /** Moves time forward, running what falls due in order. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#nextDue(untilMs); next; next = this.#nextDue(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      if (next.everyMs === null) this.#timers.delete(next);
      else next.atMs += next.everyMs;
      next.work();
    }
    this.#nowMs = untilMs;
  }

  #schedule(timer: Timer): Cancel {
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  #nextDue(untilMs: number): Timer | null {
    let first: Timer | null = null;
    for (const timer of this.#timers) {
      if (timer.atMs <= untilMs && (first === null || timer.atMs < first.atMs)) first = timer;
    }
    return first;
  }
}

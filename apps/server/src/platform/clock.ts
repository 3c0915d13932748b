/** Cancels what a clock has planned; calling it again does nothing. */
export type Cancel = () => void;

/** Time for everything that is due, so that a test can hold it in its hands. */
export interface Clock {
  now(): Date;
  /** Milliseconds since some moment of this process: for how long something takes or holds, whatever the time may be. */
  monotonicMs(): number;
  /** Runs `work` once after `ms` milliseconds. */
  after(ms: number, work: () => void): Cancel;
  /** Runs `work` every `ms` milliseconds. */
  every(ms: number, work: () => void): Cancel;
}

/** A moment of the monotonic clock, by the time as it is known now. */
export function timeAt(clock: Clock, monotonicMs: number): Date {
  return new Date(clock.now().getTime() - (clock.monotonicMs() - monotonicMs));
}

/** What the work comes to, or null where that takes longer than `ms`; it goes on all the same. Rejects like the work. */
export async function withTimeout<T>(clock: Clock, work: Promise<T>, ms: number): Promise<T | null> {
  const { promise: over, resolve } = Promise.withResolvers<null>();
  const cancel = clock.after(ms, () => resolve(null));
  try {
    return await Promise.race([work, over]);
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

  /** Sets it ahead by so much. */
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

interface Planned {
  atMs: number;
  readonly everyMs: number | null;
  readonly work: () => void;
}

/** A clock that stands still until a test moves it. Like a process that has just begun, it has counted nothing yet. */
export class ManualClock implements Clock {
  #nowMs = 0;
  #aheadMs: number;
  readonly #planned = new Set<Planned>();

  constructor(start: Date) {
    this.#aheadMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs + this.#aheadMs);
  }

  /** Sets the time ahead, or back, by so much; no time passes. */
  correct(byMs: number): void {
    this.#aheadMs += byMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(ms: number, work: () => void): Cancel {
    return this.#plan({ atMs: this.#nowMs + ms, everyMs: null, work });
  }

  every(ms: number, work: () => void): Cancel {
    return this.#plan({ atMs: this.#nowMs + ms, everyMs: ms, work });
  }

  /** Moves time forward, running what falls due in order. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#nextDue(untilMs); next; next = this.#nextDue(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      if (next.everyMs === null) this.#planned.delete(next);
      else next.atMs += next.everyMs;
      next.work();
    }
    this.#nowMs = untilMs;
  }

  #plan(planned: Planned): Cancel {
    this.#planned.add(planned);
    return () => void this.#planned.delete(planned);
  }

  #nextDue(untilMs: number): Planned | null {
    let first: Planned | null = null;
    for (const planned of this.#planned) {
      if (planned.atMs <= untilMs && (first === null || planned.atMs < first.atMs)) first = planned;
    }
    return first;
  }
}

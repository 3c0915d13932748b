/** Cancels what a clock has planned; calling it again does nothing. */
export type Cancel = () => void;

/** Time for everything that is due, so that a test can hold it in its hands. */
export interface Clock {
  now(): Date;
  /** Runs `work` once after `ms` milliseconds. */
  after(ms: number, work: () => void): Cancel;
  /** Runs `work` every `ms` milliseconds. */
  every(ms: number, work: () => void): Cancel;
}

/** What the work comes to, or null where that takes longer than `ms`; it goes on all the same. Rejects like the work. */
export async function within<T>(clock: Clock, work: Promise<T>, ms: number): Promise<T | null> {
  const { promise: over, resolve } = Promise.withResolvers<null>();
  const cancel = clock.after(ms, () => resolve(null));
  try {
    return await Promise.race([work, over]);
  } finally {
    cancel();
  }
}

/** Real time, shifted by an offset that follows the database's clock, so that all servers agree (protocol rule 12). */
export class SystemClock implements Clock {
  #offsetMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#offsetMs);
  }

  /** Takes over the database's time, as read just now. */
  follow(databaseNow: Date, askedAtMs: number, answeredAtMs: number): void {
    this.#offsetMs = databaseNow.getTime() - (askedAtMs + answeredAtMs) / 2;
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

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #nowMs: number;
  readonly #planned = new Set<Planned>();

  constructor(start: Date) {
    this.#nowMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
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

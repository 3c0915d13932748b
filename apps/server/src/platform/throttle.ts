import type { Logger } from "pino";
import type { Cancel, Clock } from "./clock.ts";
import type { Service } from "./dependencies.ts";

/** After the first of a kind, repeats are counted and reported once per window. */
export const THROTTLE_WINDOW_MS = 60_000;
/**
 * At most this many kinds are counted separately at a time; any others are counted together, so that nobody can exhaust
 * memory by inventing kinds.
 */
export const MAX_THROTTLED_KEYS = 100;

interface Window<T> {
  last: T;
  /** Repeats since it was last reported. */
  times: number;
  readonly isMixed: boolean;
  cancel: Cancel;
}

export interface Repeats<T> {
  readonly last: T;
  readonly times: number;
  /** They are of several kinds: there were too many at a time to be counted separately. */
  readonly isMixed: boolean;
}

/**
 * Keeps what others can repeat at will from filling a log or a table: the caller reports the first of a kind at once,
 * and repeats are emitted as one number at the end of each minute that has any.
 */
export class Throttle<T> {
  readonly #clock: Clock;
  readonly #emit: (repeats: Repeats<T>) => Promise<void> | void;
  readonly #windows = new Map<string, Window<T>>();
  readonly #emitting = new Set<Promise<void>>();

  /** If `emit` rejects, its repeats are counted towards the next minute. */
  constructor(clock: Clock, emit: (repeats: Repeats<T>) => Promise<void> | void) {
    this.#clock = clock;
    this.#emit = emit;
  }

  /** True if the caller reports it: the first of its kind for a minute. With too many kinds it counts as `mixed`. */
  add(kind: string, what: T, mixed = ""): boolean {
    const isMixed = !this.#windows.has(kind) && this.#windows.size >= MAX_THROTTLED_KEYS;
    const key = isMixed ? `of several kinds: ${mixed}` : kind;
    const window = this.#windows.get(key);
    if (window === undefined) {
      this.#windows.set(key, { last: what, times: 0, isMixed, cancel: this.#after(key) });
      return true;
    }
    window.last = what;
    window.times += 1;
    return false;
  }

  /** Emits what was counted, and forgets everything. */
  async stop(): Promise<void> {
    for (const window of this.#windows.values()) {
      window.cancel();
      if (window.times > 0) this.#flush(window);
    }
    this.#windows.clear();
    await Promise.all(this.#emitting);
  }

  #after(key: string): Cancel {
    return this.#clock.after(THROTTLE_WINDOW_MS, () => {
      const window = this.#windows.get(key);
      if (window === undefined) return;
      if (window.times === 0) {
        this.#windows.delete(key);
        return;
      }
      window.cancel = this.#after(key);
      this.#flush(window);
    });
  }

  #flush(window: Window<T>): void {
    const { last, times, isMixed } = window;
    window.times = 0;
    const emitting = Promise.resolve(this.#emit({ last, times, isMixed }))
      .catch(() => {
        window.times += times;
      })
      .finally(() => this.#emitting.delete(emitting));
    this.#emitting.add(emitting);
  }
}

type Level = "warn" | "error";
interface Line {
  readonly level: Level;
  readonly fields: object;
  readonly message: string;
}

/**
 * A log for what a stranger, a robot or a person can cause repeatedly: the first line of each kind, then one a minute.
 */
export class ThrottledLog implements Service {
  readonly #log: Logger;
  readonly #throttle: Throttle<Line>;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#throttle = new Throttle(clock, ({ last: { level, fields, message }, times, isMixed }) => {
      const more = `${times.toLocaleString("en")} more ${times === 1 ? "time" : "times"} in the last minute`;
      this.#log[level]({ ...(!isMixed && fields), times }, `${message}: ${more}`);
    });
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    await this.#throttle.stop();
  }

  /** Lines with the same message are of one kind per `of`: an account, an address, a robot. */
  warn(fields: object, message: string, of = ""): void {
    this.#write({ level: "warn", fields, message }, of);
  }

  error(fields: object, message: string, of = ""): void {
    this.#write({ level: "error", fields, message }, of);
  }

  #write(line: Line, of: string): void {
    if (!this.#throttle.add(`${line.message} ${of}`, line, line.message)) return;
    this.#log[line.level](line.fields, line.message);
  }
}

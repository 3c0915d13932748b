import type { Logger } from "pino";
import type { Cancel, Clock } from "./clock.ts";
import type { Service } from "./dependencies.ts";

/** What follows the first of a kind is told as a number, when so long has passed. */
export const THROTTLE_WINDOW_MS = 60_000;
/** So many kinds are counted apart at the same time; all beyond them are counted together, whoever invents them. */
export const MAX_THROTTLED_KEYS = 100;

interface Open<T> {
  last: T;
  /** How often it happened since it was told last. */
  times: number;
  readonly isMixed: boolean;
  cancel: Cancel;
}

export interface Repeats<T> {
  /** The last of them. */
  readonly last: T;
  readonly times: number;
  /** They are of several kinds: too many happened at the same time to be counted apart. */
  readonly isMixed: boolean;
}

/**
 * Keeps what others can repeat at will from filling a log or a table: the first of a kind is told at once by the caller,
 * those of the minute that follows are told together when it is over, and so on while there are any.
 */
export class Throttle<T> {
  readonly #clock: Clock;
  readonly #tell: (told: Repeats<T>) => Promise<void> | void;
  readonly #open = new Map<string, Open<T>>();
  readonly #telling = new Set<Promise<void>>();

  /** What `tell` rejects with is not heard; its number is told with the next minute's. */
  constructor(clock: Clock, tell: (told: Repeats<T>) => Promise<void> | void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /**
   * True where the caller tells it: the first of its kind for a minute. `mixed` names what the kind is counted as where
   * there are too many kinds.
   */
  add(kind: string, what: T, mixed = ""): boolean {
    const isMixed = !this.#open.has(kind) && this.#open.size >= MAX_THROTTLED_KEYS;
    const key = isMixed ? `of several kinds: ${mixed}` : kind;
    const open = this.#open.get(key);
    if (open === undefined) {
      this.#open.set(key, { last: what, times: 0, isMixed, cancel: this.#after(key) });
      return true;
    }
    open.last = what;
    open.times += 1;
    return false;
  }

  /** Tells what was counted, and forgets all. */
  async stop(): Promise<void> {
    for (const open of this.#open.values()) {
      open.cancel();
      if (open.times > 0) this.#tellOf(open);
    }
    this.#open.clear();
    await Promise.all(this.#telling);
  }

  #after(key: string): Cancel {
    return this.#clock.after(THROTTLE_WINDOW_MS, () => {
      const open = this.#open.get(key);
      if (open === undefined) return;
      if (open.times === 0) {
        this.#open.delete(key);
        return;
      }
      open.cancel = this.#after(key);
      this.#tellOf(open);
    });
  }

  #tellOf(open: Open<T>): void {
    const { last, times, isMixed } = open;
    open.times = 0;
    const telling = Promise.resolve(this.#tell({ last, times, isMixed }))
      .catch(() => {
        open.times += times;
      })
      .finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }
}

type Level = "warn" | "error";
interface Line {
  readonly level: Level;
  readonly fields: object;
  readonly sentence: string;
}

/** A log for what a stranger, a robot or a person can cause again and again: a line of each kind, and one a minute. */
export class ThrottledLog implements Service {
  readonly #log: Logger;
  readonly #gathered: Throttle<Line>;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#gathered = new Throttle(clock, ({ last: { level, fields, sentence }, times, isMixed }) => {
      const more = `${times.toLocaleString("en")} more ${times === 1 ? "time" : "times"} in the last minute`;
      this.#log[level]({ ...(!isMixed && fields), times }, `${sentence}: ${more}`);
    });
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    await this.#gathered.stop();
  }

  /** Lines with the same sentence are of one kind for each `of`: an account, an address, a robot. */
  warn(fields: object, sentence: string, of = ""): void {
    this.#write({ level: "warn", fields, sentence }, of);
  }

  error(fields: object, sentence: string, of = ""): void {
    this.#write({ level: "error", fields, sentence }, of);
  }

  #write(line: Line, of: string): void {
    if (!this.#gathered.add(`${line.sentence} ${of}`, line, line.sentence)) return;
    this.#log[line.level](line.fields, line.sentence);
  }
}

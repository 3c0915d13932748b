import { uptime } from "node:os";
import type { Logger } from "pino";
import { type Cancel, timeAt, type SystemClock } from "./clock.ts";
import { Outage } from "./outages.ts";
import type { Service } from "./dependencies.ts";

const LOOK_MS = 1_000;
/** A reading that is less exact proves nothing: the database took its time, or this process stood still. */
const SLACK_MS = 1_000;
/** What this server counted differs no more than this from the database's time, or one of both has jumped. */
const JUMP_MS = 5_000;
/** The clock of this server's machine may differ from the database's as much as a robot's may (protocol rule 12). */
const OWN_MS = 30_000;
/** A jump that the machine's clock shares with the database's is real after so long: everything under way has ended. */
const STEADY_MS = 120_000;

/** What disagrees: what was counted alone, the machine's clock alone, or the database's time with both. */
export type ClockFault = "counted" | "own" | "database";

/** The differences at one reading of the database's time, in milliseconds; positive where the clock is ahead of it. */
export interface ClockReading {
  readonly countedAheadMs: number;
  readonly ownAheadMs: number;
}

/** They agree again a little below what they may differ by: a clock that drifts past it makes no flicker. */
const AGAIN = 0.8;

/** Protocol rule 12: which of the clocks cannot be right, or null where they agree; `before` is what was found last. */
function clockFault({ countedAheadMs, ownAheadMs }: ClockReading, before: ClockFault | null): ClockFault | null {
  const share = before === null ? 1 : AGAIN;
  const countedAgrees = Math.abs(countedAheadMs) <= JUMP_MS * share;
  const ownAgrees = Math.abs(ownAheadMs) <= OWN_MS * share;
  if (countedAgrees) return ownAgrees ? null : "own";
  return ownAgrees ? "counted" : "database";
}

const sentences: Readonly<Record<ClockFault, (reading: ClockReading) => string>> = {
  own: ({ ownAheadMs }) => `The machine's clock is ${amount(ownAheadMs)} the database's.`,
  counted: ({ countedAheadMs }) =>
    `The clocks of the database and the machine are ${amount(-countedAheadMs)} the time that the server counted.`,
  database: ({ countedAheadMs }) =>
    `The database's clock is ${amount(-countedAheadMs)} the machine's and the time that the server counted.`,
};

/** Rounded, so that the words stay while the difference does. */
function amount(aheadMs: number): string {
  const seconds = Math.abs(aheadMs) / 1_000;
  const [count, unit] =
    seconds < 100
      ? [Math.round(seconds / 5) * 5, "seconds"]
      : seconds < 6_000
        ? [seconds / 60, "minutes"]
        : [seconds / 3_600, "hours"];
  return `about ${Math.round(count)} ${unit} ${aheadMs > 0 ? "ahead of" : "behind"}`;
}

/** Whether this server's clock can be relied on. */
export interface ClockCheck {
  /** Null where it can, else a sentence: then this server is neither bridge nor scheduler, and starts no robot. */
  readonly trouble: string | null;
  /** The last comparison; null before the first. */
  readonly reading: ClockReading | null;
  /** Compares the clocks now; an answer that took its time changes nothing. Rejects where the database is away. */
  look(): Promise<void>;
}

/** True where this server has to keep from whatever needs the right time. */
export function isClockWrong({ clocks }: { readonly clocks?: ClockCheck }): boolean {
  return clocks !== undefined && clocks.trouble !== null;
}

export interface ClockWatchDependencies {
  readonly clock: SystemClock;
  readonly log: Logger;
  /** Reads the database's time. */
  readonly read: () => Promise<Date>;
  /** The time of this machine, in milliseconds since 1970. */
  readonly ownMs?: () => number;
  /** For how long this machine has been up, asleep or awake, in milliseconds. */
  readonly uptimeMs?: () => number;
}

/**
 * Keeps this server's clock at the database's time and does not let it jump (protocol rule 12). Between two readings the
 * server counts by its monotonic clock; a reading that does not fit what was counted is not taken over but told, until it
 * fits again, or for two minutes where the machine's own clock confirms it.
 */
export class ClockWatch implements ClockCheck, Service {
  readonly #deps: Required<ClockWatchDependencies>;
  readonly #told: Outage;
  #under: Promise<void> | null = null;
  #reading: ClockReading | null = null;
  #fault: ClockFault | null = null;
  #trouble: string | null = null;
  /** A jump that the machine's clock confirms: since when, and by how much. */
  #confirmed: { readonly sinceMs: number; readonly aheadMs: number } | null = null;
  /** The last reading that fitted, by two clocks that never jump: the first stands still while the machine sleeps. */
  #before: { readonly monotonicMs: number; readonly uptimeMs: number } | null = null;
  #cancel: Cancel = () => {};

  constructor(deps: ClockWatchDependencies) {
    this.#deps = { ownMs: () => Date.now(), uptimeMs: () => uptime() * 1_000, ...deps };
    this.#told = new Outage("this server's clock", deps.log, deps.clock, {
      begins: "does not agree with the database's: it is neither bridge nor scheduler, and starts no robot",
      lasts: "still does not agree with the database's",
      ends: "agrees with the database's again",
    });
  }

  get trouble(): string | null {
    return this.#trouble;
  }

  get reading(): ClockReading | null {
    return this.#reading;
  }

  /** Begins with the database's time, which nothing contradicts yet but the machine's own. Rejects where it is away. */
  async start(): Promise<void> {
    const { clock, read } = this.#deps;
    const askedMs = clock.monotonicMs();
    const database = await read();
    clock.correct(database.getTime() - timeAt(clock, (askedMs + clock.monotonicMs()) / 2).getTime());
    await this.look();
    // A look that fails is one at a database that is away, of which others tell.
    this.#cancel = clock.every(LOOK_MS, () => void this.look().catch(() => {}));
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#told.stop();
    await this.#under?.catch(() => {});
  }

  /** Whoever looks at the same time shares one reading. */
  look(): Promise<void> {
    this.#under ??= this.#look().finally(() => {
      this.#under = null;
    });
    return this.#under;
  }

  async #look(): Promise<void> {
    const { clock, read, ownMs, uptimeMs } = this.#deps;
    const askedMs = clock.monotonicMs();
    const database = await read();
    const slackMs = (clock.monotonicMs() - askedMs) / 2;
    if (slackMs > SLACK_MS) return;
    const databaseMs = database.getTime() + slackMs;
    const differsMs = clock.now().getTime() - databaseMs;
    const awake = { monotonicMs: clock.monotonicMs(), uptimeMs: uptimeMs() };
    const countedAheadMs = differsMs + this.#sleptMs(awake);
    const reading = { countedAheadMs, ownAheadMs: ownMs() - databaseMs };
    const found = clockFault(reading, this.#fault);
    const isReal = found === "counted" && this.#isConfirmed(countedAheadMs, awake.monotonicMs);
    const fault = isReal ? null : found;
    if (fault !== "counted") this.#confirmed = null;
    this.#reading = reading;
    if (fault === null || fault === "own") {
      // No more than what is certain: the rest may be the reading's own.
      const certainMs = Math.sign(differsMs) * Math.max(0, Math.abs(differsMs) - slackMs);
      clock.correct(-certainMs);
      this.#before = awake;
    }
    this.#tell(fault, reading);
  }

  /** True where the same jump has stood for long enough. */
  #isConfirmed(aheadMs: number, nowMs: number): boolean {
    const known = this.#confirmed;
    if (known !== null && Math.abs(aheadMs - known.aheadMs) <= JUMP_MS) return nowMs - known.sinceMs >= STEADY_MS;
    this.#confirmed = { sinceMs: nowMs, aheadMs };
    return false;
  }

  /** What a machine that has woken up did not count. */
  #sleptMs(now: { readonly monotonicMs: number; readonly uptimeMs: number }): number {
    const before = this.#before ?? now;
    const sleptMs = now.uptimeMs - before.uptimeMs - (now.monotonicMs - before.monotonicMs);
    return sleptMs > JUMP_MS ? sleptMs : 0;
  }

  #tell(fault: ClockFault | null, reading: ClockReading): void {
    this.#fault = fault;
    this.#trouble = fault === null ? null : sentences[fault](reading);
    if (this.#trouble === null) this.#told.end();
    else this.#told.begin(this.#trouble);
  }
}

import { uptime } from "node:os";
import type { Logger } from "pino";
import { type Cancel, timeAt, type SystemClock } from "./clock.ts";
import { Outage } from "./outages.ts";
import type { Service } from "./dependencies.ts";

const CHECK_MS = 1_000;
/** A less exact reading proves nothing: the database was slow, or this process was suspended. */
const SLACK_MS = 1_000;
/** If the time this server counted differs by more than this from the database's, one of the two has jumped. */
const JUMP_MS = 5_000;
/** The clock of this server's machine may differ from the database's as much as a robot's may (protocol rule 12). */
const OWN_MS = 30_000;
/** A jump that the machine's clock shares with the database's is accepted after this time: everything in progress has ended. */
const STEADY_MS = 120_000;

/** Which one disagrees with the other two: the counted time, the machine's own clock, or the database's clock. */
export type ClockFault = "counted" | "own" | "database";

/** The differences at one reading of the database's time, in milliseconds; positive where the clock is ahead of it. */
export interface ClockReading {
  readonly countedAheadMs: number;
  readonly ownAheadMs: number;
}

/** Hysteresis: they agree again only well within the limit, so that a clock drifting around it does not flap. */
const RECOVERY_SHARE = 0.8;

/** Protocol rule 12: which of the clocks must be wrong, or null if they agree; `before` is the previous result. */
function clockFault({ countedAheadMs, ownAheadMs }: ClockReading, before: ClockFault | null): ClockFault | null {
  const share = before === null ? 1 : RECOVERY_SHARE;
  const countedAgrees = Math.abs(countedAheadMs) <= JUMP_MS * share;
  const ownAgrees = Math.abs(ownAheadMs) <= OWN_MS * share;
  if (countedAgrees) return ownAgrees ? null : "own";
  return ownAgrees ? "counted" : "database";
}

const messages: Readonly<Record<ClockFault, (reading: ClockReading) => string>> = {
  own: ({ ownAheadMs }) => `The machine's clock is ${amount(ownAheadMs)} the database's.`,
  counted: ({ countedAheadMs }) =>
    `The clocks of the database and the machine are ${amount(-countedAheadMs)} the time that the server counted.`,
  database: ({ countedAheadMs }) =>
    `The database's clock is ${amount(-countedAheadMs)} the machine's and the time that the server counted.`,
};

/** Rounded, so that the text stays the same while the difference does. */
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
  /** Null if it can, else the reason: then this server is neither bridge nor scheduler, and starts no robot. */
  readonly trouble: string | null;
  /** The last comparison; null before the first. */
  readonly reading: ClockReading | null;
  /** Compares the clocks now; a slow answer changes nothing. Rejects if the database is unreachable. */
  check(): Promise<void>;
}

/** True if this server must not do anything that needs the right time. */
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
  /** How long this machine has been up, asleep or awake, in milliseconds. */
  readonly uptimeMs?: () => number;
}

/**
 * Keeps this server's clock at the database's time without letting it jump (protocol rule 12). Between two readings the
 * server counts by its monotonic clock; a reading that does not fit is not adopted but reported, until readings fit
 * again, or for two minutes if the machine's own clock confirms it.
 */
export class ClockWatch implements ClockCheck, Service {
  readonly #deps: Required<ClockWatchDependencies>;
  readonly #outage: Outage;
  #pending: Promise<void> | null = null;
  #reading: ClockReading | null = null;
  #fault: ClockFault | null = null;
  #trouble: string | null = null;
  /** A jump that the machine's clock confirms: since when, and by how much. */
  #confirmed: { readonly sinceMs: number; readonly aheadMs: number } | null = null;
  /** The last reading that fitted, by two clocks that never jump: the first pauses while the machine sleeps. */
  #before: { readonly monotonicMs: number; readonly uptimeMs: number } | null = null;
  #cancel: Cancel = () => {};

  constructor(deps: ClockWatchDependencies) {
    this.#deps = { ownMs: () => Date.now(), uptimeMs: () => uptime() * 1_000, ...deps };
    this.#outage = new Outage("this server's clock", deps.log, deps.clock, {
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

  /** Adopts the database's time, which only the machine's own can contradict yet. Rejects if it is unreachable. */
  async start(): Promise<void> {
    const { clock, read } = this.#deps;
    const sentMs = clock.monotonicMs();
    const database = await read();
    clock.correct(database.getTime() - timeAt(clock, (sentMs + clock.monotonicMs()) / 2).getTime());
    await this.check();
    // Fails only if the database is unreachable, which is logged elsewhere.
    this.#cancel = clock.every(CHECK_MS, () => void this.check().catch(() => {}));
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#outage.stop();
    await this.#pending?.catch(() => {});
  }

  /** Concurrent callers share one reading. */
  check(): Promise<void> {
    this.#pending ??= this.#compare().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  async #compare(): Promise<void> {
    const { clock, read, ownMs, uptimeMs } = this.#deps;
    const sentMs = clock.monotonicMs();
    const database = await read();
    const slackMs = (clock.monotonicMs() - sentMs) / 2;
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
      // Only as much as is certain: the rest may be the delay of the reading.
      const certainMs = Math.sign(differsMs) * Math.max(0, Math.abs(differsMs) - slackMs);
      clock.correct(-certainMs);
      this.#before = awake;
    }
    this.#report(fault, reading);
  }

  /** True once the same jump has lasted long enough. */
  #isConfirmed(aheadMs: number, nowMs: number): boolean {
    const known = this.#confirmed;
    if (known !== null && Math.abs(aheadMs - known.aheadMs) <= JUMP_MS) return nowMs - known.sinceMs >= STEADY_MS;
    this.#confirmed = { sinceMs: nowMs, aheadMs };
    return false;
  }

  /** How long the machine slept, which its monotonic clock did not count. */
  #sleptMs(now: { readonly monotonicMs: number; readonly uptimeMs: number }): number {
    const before = this.#before ?? now;
    const sleptMs = now.uptimeMs - before.uptimeMs - (now.monotonicMs - before.monotonicMs);
    return sleptMs > JUMP_MS ? sleptMs : 0;
  }

  #report(fault: ClockFault | null, reading: ClockReading): void {
    this.#fault = fault;
    this.#trouble = fault === null ? null : messages[fault](reading);
    if (this.#trouble === null) this.#outage.end();
    else this.#outage.begin(this.#trouble);
  }
}

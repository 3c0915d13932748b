import type { Logger } from "pino";
import type { Cancel, Clock } from "./clock.ts";
import { isDatabaseUnreachable } from "./database/database-errors.ts";
import { errorText } from "./errors.ts";

const STILL_EVERY_MS = 60_000;
const PROBE_EVERY_MS = 1_000;
/** Failures less than this apart are one outage. */
const QUIET_MS = 5_000;

/** Something failed because there is no connection to the MQTT broker, which logs its outage itself. */
export class BrokerUnavailableError extends Error {
  override readonly name = "BrokerAway";
}

/** How the three log lines about an outage end. */
export interface OutageMessages {
  readonly begins: string;
  readonly lasts: string;
  readonly ends: string;
}

const UNAVAILABLE: OutageMessages = { begins: "is unreachable", lasts: "is still unreachable", ends: "is back" };

/** Logs the outages of one thing: a line when one begins, one a minute, and one when it ends. */
export class Outage {
  readonly #clock: Clock;
  readonly #write: (level: "warn" | "error", which: keyof OutageMessages, fields: object) => void;
  #sinceMs: number | null = null;
  #reason = "";
  #cancel: Cancel = () => {};

  /** `what` begins each line: "the database". */
  constructor(what: string, log: Logger, clock: Clock, messages = UNAVAILABLE) {
    this.#clock = clock;
    this.#write = (level, which, fields) => log[level](fields, `${what} ${messages[which]}`);
  }

  get isOn(): boolean {
    return this.#sinceMs !== null;
  }

  /** Begins an outage, or updates the reason of the current one; `during` is what noticed it. */
  begin(reason: string, during?: string): void {
    this.#reason = reason;
    if (this.#sinceMs !== null) return;
    this.#sinceMs = this.#clock.monotonicMs();
    this.#cancel = this.#clock.every(STILL_EVERY_MS, () =>
      this.#write("error", "lasts", { reason: this.#reason, seconds: this.#seconds() }),
    );
    this.#write("error", "begins", { reason, ...(during !== undefined && { during }) });
  }

  /** `agoMs` is how long ago it ended. */
  end(agoMs = 0): void {
    if (this.#sinceMs === null) return;
    const seconds = this.#seconds(agoMs);
    this.stop();
    this.#write("warn", "ends", { seconds });
  }

  /** Logs nothing more. */
  stop(): void {
    this.#cancel();
    this.#sinceMs = null;
  }

  #seconds(agoMs = 0): number {
    return Math.round((this.#clock.monotonicMs() - agoMs - (this.#sinceMs ?? 0)) / 1000);
  }
}

/**
 * Keeps an outage from filling the log with what fails because of it: the log calls `covers` before each line about an
 * error. These errors also reveal outages of the database, which is then probed every second until it is back.
 */
export class Outages {
  #database: { readonly outage: Outage; readonly clock: Clock } | null = null;
  #probe: () => Promise<void> = async () => {};
  #lastErrorMs = 0;
  #goodSinceMs: number | null = null;
  #isProbing = false;
  #cancel: Cancel = () => {};

  /** Logs the database's outages from now on; `probe` rejects while the database does not work. */
  watchDatabase(log: Logger, clock: Clock, probe: () => Promise<void>): void {
    this.#database = { outage: new Outage("the database", log, clock), clock };
    this.#probe = probe;
  }

  stop(): void {
    this.#cancel();
    this.#database?.outage.stop();
    this.#database = null;
  }

  /** True if an outage's own lines cover this error, so that it need not be logged; an old one begins no outage. */
  covers(error: Error, during: string, isOld = false): boolean {
    if (error instanceof BrokerUnavailableError) return true;
    if (this.#database === null || !isDatabaseUnreachable(error)) return false;
    if (isOld) return true;
    const { outage, clock } = this.#database;
    this.#lastErrorMs = clock.monotonicMs();
    this.#goodSinceMs = null;
    const isNew = !outage.isOn;
    outage.begin(errorText(error), during);
    if (isNew) this.#cancel = clock.every(PROBE_EVERY_MS, () => void this.#check(outage, clock));
    return true;
  }

  async #check(outage: Outage, clock: Clock): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    try {
      await this.#probe();
      const nowMs = clock.monotonicMs();
      this.#goodSinceMs ??= nowMs;
      if (nowMs - this.#lastErrorMs < QUIET_MS || !outage.isOn) return;
      this.#cancel();
      outage.end(nowMs - this.#goodSinceMs);
    } catch (error) {
      this.#goodSinceMs = null;
      outage.begin(error instanceof Error ? errorText(error) : String(error));
    } finally {
      this.#isProbing = false;
    }
  }
}

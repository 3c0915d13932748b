import type { Logger } from "pino";
import type { Cancel, Clock } from "./clock.ts";
import { isDatabaseUnreachable } from "./database/database-errors.ts";

const STILL_EVERY_MS = 60_000;
const PROBE_EVERY_MS = 1_000;
/** What comes back and goes again within so long was one outage. */
const QUIET_MS = 5_000;

/** What failed because there is no connection to an MQTT broker; that connection tells of its outage itself. */
export class BrokerUnavailableError extends Error {
  override readonly name = "BrokerAway";
}

/** An error's message; of several that came as one, theirs. Never empty. */
export function errorText(error: Error): string {
  if (error.message !== "") return error.message;
  const inner: unknown[] = error instanceof AggregateError ? error.errors : [];
  const words = inner.flatMap((each) => (each instanceof Error && each.message !== "" ? [each.message] : []));
  return words.join("; ") || ("code" in error && typeof error.code === "string" ? error.code : error.name);
}

/** The ends of the three sentences about an outage. */
export interface OutageMessages {
  readonly begins: string;
  readonly lasts: string;
  readonly ends: string;
}

const AWAY: OutageMessages = { begins: "is away", lasts: "is still away", ends: "is back" };

/** One outage after the other of one thing: a line as it begins, one a minute, and one as it ends. */
export class Outage {
  readonly #what: string;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #words: OutageMessages;
  #sinceMs: number | null = null;
  #reason = "";
  #cancel: Cancel = () => {};

  /** `what` begins a sentence: "the database". */
  constructor(what: string, log: Logger, clock: Clock, words = AWAY) {
    this.#what = what;
    this.#log = log;
    this.#clock = clock;
    this.#words = words;
  }

  get isOn(): boolean {
    return this.#sinceMs !== null;
  }

  /** Begins it, or says what is wrong by now; `during` is what noticed it. */
  begin(reason: string, during?: string): void {
    this.#reason = reason;
    if (this.#sinceMs !== null) return;
    this.#sinceMs = this.#clock.monotonicMs();
    this.#cancel = this.#clock.every(STILL_EVERY_MS, () => {
      this.#log.error({ reason: this.#reason, seconds: this.#seconds() }, `${this.#what} ${this.#words.lasts}`);
    });
    this.#log.error({ reason, ...(during !== undefined && { during }) }, `${this.#what} ${this.#words.begins}`);
  }

  /** `agoMs` where it ended before now. */
  end(agoMs = 0): void {
    if (this.#sinceMs === null) return;
    const seconds = this.#seconds(agoMs);
    this.stop();
    this.#log.warn({ seconds }, `${this.#what} ${this.#words.ends}`);
  }

  /** Says nothing more. */
  stop(): void {
    this.#cancel();
    this.#sinceMs = null;
  }

  #seconds(agoMs = 0): number {
    return Math.round((this.#clock.monotonicMs() - agoMs - (this.#sinceMs ?? 0)) / 1000);
  }
}

/**
 * Keeps an outage from filling the log with what fails because of it: the log asks before each line about an error. It
 * notices the database's outages by them, and looks each second whether the database is back.
 */
export class Outages {
  #database: { readonly outage: Outage; readonly clock: Clock } | null = null;
  #look: () => Promise<void> = async () => {};
  #lastErrorMs = 0;
  #goodSinceMs: number | null = null;
  #isLooking = false;
  #cancel: Cancel = () => {};

  /** From now on the database's outages are told; `look` rejects while the database does not work. */
  watchDatabase(log: Logger, clock: Clock, look: () => Promise<void>): void {
    this.#database = { outage: new Outage("the database", log, clock), clock };
    this.#look = look;
  }

  stop(): void {
    this.#cancel();
    this.#database?.outage.stop();
    this.#database = null;
  }

  /** True where an outage's own lines tell of this error, so that nobody else need; one that is old begins none. */
  covers(error: Error, during: string, isOld = false): boolean {
    if (error instanceof BrokerUnavailableError) return true;
    if (this.#database === null || !isDatabaseUnreachable(error)) return false;
    if (isOld) return true;
    const { outage, clock } = this.#database;
    this.#lastErrorMs = clock.monotonicMs();
    this.#goodSinceMs = null;
    const isNew = !outage.isOn;
    outage.begin(errorText(error), during);
    if (isNew) this.#cancel = clock.every(PROBE_EVERY_MS, () => void this.#probe(outage, clock));
    return true;
  }

  async #probe(outage: Outage, clock: Clock): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#look();
      const nowMs = clock.monotonicMs();
      this.#goodSinceMs ??= nowMs;
      if (nowMs - this.#lastErrorMs < QUIET_MS || !outage.isOn) return;
      this.#cancel();
      outage.end(nowMs - this.#goodSinceMs);
    } catch (error) {
      this.#goodSinceMs = null;
      outage.begin(error instanceof Error ? errorText(error) : String(error));
    } finally {
      this.#isLooking = false;
    }
  }
}

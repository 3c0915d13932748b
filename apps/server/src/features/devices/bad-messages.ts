import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { BadMessageKind } from "./devices.mqtt.ts";

/** A kind of bad message is logged this often at most. */
const LOG_EVERY_MS = 10_000;

/** Counts what the bridge drops and says so in the log, without its content (protocol rule 10). */
export class BadMessages {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #counts = new Map<BadMessageKind, number>();
  readonly #loggedAtMs = new Map<BadMessageKind, number>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** How many were dropped, by kind, since this server started. */
  get counts(): Readonly<Partial<Record<BadMessageKind, number>>> {
    return Object.fromEntries(this.#counts);
  }

  add(kind: BadMessageKind, serial: string | null, dropped = 1): void {
    const count = (this.#counts.get(kind) ?? 0) + dropped;
    this.#counts.set(kind, count);
    const nowMs = this.#clock.monotonicMs();
    const loggedAtMs = this.#loggedAtMs.get(kind);
    if (loggedAtMs !== undefined && nowMs - loggedAtMs < LOG_EVERY_MS) return;
    this.#loggedAtMs.set(kind, nowMs);
    this.#log.warn({ kind, serial, count }, "dropped a robot's message");
  }
}

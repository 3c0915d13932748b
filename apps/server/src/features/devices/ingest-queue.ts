import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/database/database.ts";
import type { BadMessages } from "./bad-messages.ts";
import type { IncomingMessage } from "./devices.mqtt.ts";
import { isDatabaseAway, isLostRace } from "./database-faults.ts";
import { IncomingBuffer, type RobotMessages } from "./incoming-buffer.ts";
import { ingest, type Ingested } from "./ingest.writes.ts";

/** Robots stored in one transaction at most, and waiting before a flush begins by itself. */
export const BATCH_ROBOTS = 1_000;
/** A database that is away is tried again this often. */
const RETRY_MS = 1_000;

export interface IngestQueueParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly bad: BadMessages;
  /** Called after each commit. */
  readonly onIngested: (ingested: Ingested) => void;
}

/** What arrived, on its way into the database. One flush runs at a time, so that order is kept. */
export class IngestQueue {
  readonly #parts: IngestQueueParts;
  readonly #buffer: IncomingBuffer;
  #flushing: Promise<void> | null = null;
  #notBeforeMs = 0;
  /** Raised by `clear`: what was taken out before it is not put back. */
  #generation = 0;

  constructor(parts: IngestQueueParts) {
    this.#parts = parts;
    this.#buffer = new IncomingBuffer((serial, dropped) => parts.bad.add("overflow", serial, dropped));
  }

  get isEmpty(): boolean {
    return this.#buffer.size === 0 && this.#flushing === null;
  }

  add(serial: string, incoming: IncomingMessage): void {
    this.#buffer.add(serial, incoming);
    if (this.#buffer.size >= BATCH_ROBOTS && this.#flushing === null) void this.flush();
  }

  /** Stores what waits, also what arrives meanwhile. Never rejects: what cannot be stored yet waits on. */
  flush(): Promise<void> {
    if (this.#flushing !== null) return this.#flushing;
    if (this.#buffer.size === 0 || this.#parts.clock.now().getTime() < this.#notBeforeMs) return Promise.resolve();
    this.#flushing = this.#drain().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /** Forgets what waits: this server may not write any more. */
  clear(): void {
    this.#generation += 1;
    this.#notBeforeMs = 0;
    this.#buffer.clear();
  }

  async #drain(): Promise<void> {
    while (this.#buffer.size > 0) {
      const generation = this.#generation;
      const batch = this.#buffer.take(BATCH_ROBOTS);
      const left = await this.#storeOrSplit(batch);
      if (left.length === 0) continue;
      if (generation === this.#generation) this.#buffer.putBack(left);
      return;
    }
  }

  /** Answers what must wait. A robot whose messages the database refuses does not hold up the others (rule 10). */
  async #storeOrSplit(batch: readonly RobotMessages[]): Promise<readonly RobotMessages[]> {
    const { db, clock, log, bad, onIngested } = this.#parts;
    try {
      const ingested = await ingest(db, batch, clock.now());
      for (const { serial, messages } of ingested.unknown) bad.add("unknown-serial", serial, messages);
      onIngested(ingested);
      return [];
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown";
      if (isLostRace(error)) return batch;
      if (isDatabaseAway(error)) {
        log.warn({ reason, robots: batch.length }, "could not store what robots said; trying again");
        this.#notBeforeMs = clock.now().getTime() + RETRY_MS;
        return batch;
      }
      return batch.length > 1 ? this.#splitUp(batch) : this.#refuse(batch, reason);
    }
  }

  async #splitUp(batch: readonly RobotMessages[]): Promise<readonly RobotMessages[]> {
    const middle = Math.ceil(batch.length / 2);
    const left = await this.#storeOrSplit(batch.slice(0, middle));
    return [...left, ...(await this.#storeOrSplit(batch.slice(middle)))];
  }

  #refuse(batch: readonly RobotMessages[], reason: string): readonly RobotMessages[] {
    for (const { serial, messages } of batch) {
      this.#parts.bad.add("refused", serial, messages.length);
      this.#parts.log.error({ serial, reason }, "a robot's messages could not be stored and were dropped");
    }
    return [];
  }
}

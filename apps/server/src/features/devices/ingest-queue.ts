import type { Clock } from "../../platform/clock.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import type { Db } from "../../platform/database/database.ts";
import type { ThrottledLog } from "../../platform/throttle.ts";
import { alertLostMessages, ingest, type Ingested } from "./ingest.repository.ts";
import type { BadMessages, IncomingMessage } from "./devices.mqtt.ts";
import { IncomingBuffer, type RobotMessages } from "./incoming-buffer.ts";
import { type Allowance, RobotBudgets } from "./robot-budgets.ts";

/** Maximum robots per transaction; a flush starts automatically once this many are waiting. */
const BATCH_ROBOTS = 1_000;
/** A database that is away is tried again this often. */
const RETRY_MS = 1_000;
/** A robot's messages that cannot be stored, though others' can, are tried so often: after 1, 2, 4 and 8 s again. */
const TRIES = 5;

interface IngestQueueDependencies {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: ThrottledLog;
  readonly bad: BadMessages;
  /** Called after each commit. */
  readonly onIngested: (ingested: Ingested) => void;
}

/** A robot whose messages failed with an error caused neither by their data nor by a database outage. */
interface Trouble {
  readonly tries: number;
  readonly notBeforeMs: number;
}

/** What came of the robots of a batch. */
interface Round {
  /** Robots whose messages the database has taken, or knows that it never will. */
  readonly done: string[];
  /** The database was away, or another transaction won: the same again. */
  readonly waiting: RobotMessages[];
  readonly troubled: { readonly of: RobotMessages; readonly reason: string }[];
}

/** Received messages on their way into the database. Flushes run one at a time, which preserves order. */
export class IngestQueue {
  readonly #deps: IngestQueueDependencies;
  readonly #buffer: IncomingBuffer;
  readonly #budgets: RobotBudgets;
  #flushing: Promise<void> | null = null;
  /** What the round under way has taken out, and when that is over. */
  #inRound: readonly RobotMessages[] = [];
  #roundEnd = Promise.withResolvers<void>();
  #notBeforeMs = 0;
  /** By serial number: each robot's messages wait in order, without blocking other robots. */
  readonly #troubles = new Map<string, Trouble>();
  /** Raised by `clear`: what was taken out before it is not put back. */
  #generation = 0;

  constructor(deps: IngestQueueDependencies) {
    this.#deps = deps;
    this.#buffer = new IncomingBuffer((serial, dropped, kind) => deps.bad.add(kind, serial, dropped));
    this.#budgets = new RobotBudgets(deps.clock);
  }

  add(serial: string, incoming: IncomingMessage): void {
    if (incoming.leaf === "connection" && incoming.message.state === "ONLINE" && !incoming.retained) {
      this.#budgets.noteConnection(serial);
    }
    if (this.#budgets.takeMessage(serial)) this.#buffer.add(serial, incoming);
    else this.#buffer.addInPlace(serial, incoming);
    if (this.#buffer.size >= BATCH_ROBOTS && this.#flushing === null) void this.flush();
  }

  /** Stores everything waiting, including later arrivals. Never rejects: what cannot be stored yet keeps waiting. */
  flush(): Promise<void> {
    if (this.#flushing !== null) return this.#flushing;
    if (this.#buffer.size === 0 || this.#deps.clock.monotonicMs() < this.#notBeforeMs) return Promise.resolve();
    this.#flushing = this.#drain().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /**
   * Stores what has come by now, and not what comes meanwhile: somebody always speaks. True where all of it is stored, but
   * for what cannot be of single robots. Never rejects.
   */
  async storeArrived(): Promise<boolean> {
    const { arrived } = this.#buffer;
    const waits = () =>
      this.#inRound.some((of) => this.#buffer.arrivedBy(of, arrived)) ||
      this.#buffer.hasWaitingFrom(arrived, (serial) => this.#troubles.has(serial));
    void this.flush();
    while (waits() && this.#flushing !== null) await Promise.race([this.#roundEnd.promise, this.#flushing]);
    return !waits();
  }

  /** Forgets what waits: this server may not write any more. */
  clear(): void {
    this.#generation += 1;
    this.#notBeforeMs = 0;
    this.#troubles.clear();
    this.#buffer.clear();
  }

  async #drain(): Promise<void> {
    for (let goesOn = true; goesOn;) {
      goesOn = await this.#storeRound();
      this.#inRound = [];
      this.#roundEnd.resolve();
      this.#roundEnd = Promise.withResolvers();
    }
  }

  /** False where nothing is left that can be stored now. */
  async #storeRound(): Promise<boolean> {
    const generation = this.#generation;
    const nowMs = this.#deps.clock.monotonicMs();
    const mayTake = (serial: string) => (this.#troubles.get(serial)?.notBeforeMs ?? 0) <= nowMs;
    const batch = this.#buffer.take(BATCH_ROBOTS, mayTake);
    if (batch.length === 0) return false;
    this.#inRound = batch;
    const round: Round = { done: [], waiting: [], troubled: [] };
    await this.#storeOrSplit(batch, round);
    if (generation !== this.#generation) return false;
    for (const serial of round.done) this.#troubles.delete(serial);
    const left = [...round.waiting, ...(await this.#keepTroubled(round))];
    if (generation !== this.#generation) return false;
    if (left.length > 0) this.#buffer.putBack(left);
    return round.waiting.length === 0 && this.#deps.clock.monotonicMs() >= this.#notBeforeMs;
  }

  /** Stores a batch; if that fails, each half separately, so that no robot's messages block the others (rule 10). */
  async #storeOrSplit(batch: readonly RobotMessages[], round: Round): Promise<void> {
    const { db, clock, log, bad, onIngested } = this.#deps;
    if (clock.monotonicMs() < this.#notBeforeMs) {
      // It was away for the half before.
      round.waiting.push(...batch);
      return;
    }
    try {
      const allowances = new Map<string, Allowance>();
      const ingested = await ingest(db, batch, clock, (serial) => {
        const allowance = this.#budgets.allowanceOf(serial);
        allowances.set(serial, allowance);
        return allowance;
      });
      for (const [serial, allowance] of allowances) this.#budgets.settle(serial, allowance);
      const unknown = new Set(ingested.unknown.map(({ serial }) => serial));
      for (const { serial, messages } of ingested.unknown) bad.add("unknown-serial", serial, messages);
      round.done.push(...batch.map(({ serial }) => serial).filter((serial) => !unknown.has(serial)));
      onIngested(ingested);
      return;
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown";
      if (isTransactionConflict(error) || isDatabaseUnreachable(error)) {
        round.waiting.push(...batch);
        if (isTransactionConflict(error)) return;
        log.warn({ error, robots: batch.length }, "could not store what robots said; trying again");
        this.#notBeforeMs = clock.monotonicMs() + RETRY_MS;
        return;
      }
      const [only] = batch;
      if (only !== undefined && batch.length === 1) {
        if (isRefusedData(error)) {
          round.done.push(only.serial);
          this.#drop("refused", only, reason);
        } else round.troubled.push({ of: only, reason });
        return;
      }
    }
    const middle = Math.ceil(batch.length / 2);
    await this.#storeOrSplit(batch.slice(0, middle), round);
    await this.#storeOrSplit(batch.slice(middle), round);
  }

  /** The messages to retry. If no robot's could be stored, no message is to blame, and all are retried. */
  async #keepTroubled({ done, troubled }: Round): Promise<RobotMessages[]> {
    const { db, clock, log } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (done.length === 0 && troubled.length > 1) {
      log.error({ reason: troubled[0]?.reason, robots: troubled.length }, "nothing that robots said could be stored");
      this.#notBeforeMs = nowMs + RETRY_MS;
      return troubled.map(({ of }) => of);
    }
    const kept: RobotMessages[] = [];
    for (const { of, reason } of troubled) {
      const tries = (this.#troubles.get(of.serial)?.tries ?? 0) + 1;
      if (tries < TRIES) {
        const notBeforeMs = nowMs + RETRY_MS * 2 ** (tries - 1);
        this.#troubles.set(of.serial, { tries, notBeforeMs });
        log.warn(
          { serial: of.serial, reason, tries },
          "a robot's messages could not be stored; trying again",
          of.serial,
        );
        kept.push(of);
        continue;
      }
      this.#troubles.delete(of.serial);
      this.#drop("set-aside", of, reason);
      await alertLostMessages(db, of.serial, clock.now()).catch((error: unknown) => {
        log.error({ error, serial: of.serial }, "an alert about lost messages could not be raised", of.serial);
      });
    }
    return kept;
  }

  #drop(kind: "refused" | "set-aside", { serial, messages }: RobotMessages, reason: string): void {
    this.#deps.bad.add(kind, serial, messages.length);
    this.#deps.log.error({ serial, reason }, "a robot's messages could not be stored and were dropped", serial);
  }
}

/** SQLSTATE classes that blame the data: wrong values, broken constraints, too large. */
const dataClasses = new Set(["22", "23", "54"]);
const LOST_RACE_CLASS = "40";

function classOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  return error.code.length === 5 ? error.code.slice(0, 2) : null;
}

/** The transaction lost against another one and may simply be tried again. */
function isTransactionConflict(error: unknown): boolean {
  return classOf(error) === LOST_RACE_CLASS;
}

/** The database has no form for this: the same data will be refused again. */
function isRefusedData(error: unknown): boolean {
  return dataClasses.has(classOf(error) ?? "");
}

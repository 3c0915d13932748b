import type { StateMessage } from "@suncrew/contract/devices/messages.ts";
import type { Clock } from "../../platform/clock.ts";
import { isDatabaseUnreachable } from "../../platform/database/database-errors.ts";
import type { Db } from "../../platform/database/database.ts";
import { codeOf } from "../../platform/errors.ts";
import type { ThrottledLog } from "../../platform/throttle.ts";
import type { BadMessages, IncomingMessage, RobotMessages } from "./devices.mqtt.ts";
import { alertLostMessages, ingest, type Ingested } from "./ingest.repository.ts";
import { type Allowance, RobotBudgets } from "./robot-budgets.ts";

/** Maximum robots per transaction; a flush starts automatically once this many are waiting. */
const BATCH_ROBOTS = 1_000;
const RETRY_MS = 1_000;
/** Attempts to store one robot's messages that fail while others' succeed: retried after 1, 2, 4 and 8 s. */
const MAX_ATTEMPTS = 5;

interface IngestQueueDependencies {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: ThrottledLog;
  readonly bad: BadMessages;
  /** Whether this server is the bridge of this robot. */
  readonly isHeld: (serial: string) => boolean;
  /** Called after each commit. */
  readonly onIngested: (ingested: Ingested) => void;
  /** How many robots may be kept in memory beyond those that are expected; tests set it. */
  readonly maxUnexpected?: number;
}

/** Invented serial numbers take no more memory than these many robots. */
const MAX_UNEXPECTED = 50_000;

/** A robot whose messages failed with an error caused neither by their data nor by a database outage. */
interface Failing {
  readonly attempts: number;
  readonly notBeforeMs: number;
}

interface Round {
  /** Robots whose messages the database has stored, or will never accept. */
  readonly done: string[];
  /** The database was unreachable, or another transaction won: retry unchanged. */
  readonly waiting: RobotMessages[];
  readonly failed: { readonly of: RobotMessages; readonly reason: string }[];
}

/** Received messages on their way into the database. Flushes run one at a time, which preserves order. */
export class IngestQueue {
  readonly #deps: IngestQueueDependencies;
  readonly #buffer: IncomingBuffer;
  readonly #budgets: RobotBudgets;
  #flushing: Promise<void> | null = null;
  /** A flush was requested while one was in progress. */
  #isFlushedAgain = false;
  /** What the current round has taken out, and when it ends. */
  #inRound: readonly RobotMessages[] = [];
  #roundEnd = Promise.withResolvers<void>();
  #notBeforeMs = 0;
  /** By serial number: each robot's messages wait in order, without blocking other robots. */
  readonly #failing = new Map<string, Failing>();
  /** Robots that have accepted a command, until their next state: somebody waits for what it shows. */
  readonly #awaited = new Set<string>();
  /** Incremented by `clear`: what was taken out earlier is not put back. */
  #generation = 0;

  constructor(deps: IngestQueueDependencies) {
    this.#deps = deps;
    this.#buffer = new IncomingBuffer((serial, dropped, kind) => deps.bad.add(kind, serial, dropped));
    this.#budgets = new RobotBudgets(deps.clock);
    this.expect(0);
  }

  /**
   * Keeps in memory what concerns so many robots, and a fixed number more. All of a fleet may wait at once: the broker
   * sends a new bridge what it retains faster than that can be stored.
   */
  expect(robots: number): void {
    const most = robots + (this.#deps.maxUnexpected ?? MAX_UNEXPECTED);
    this.#buffer.maxRobots = most;
    this.#budgets.maxRobots = most;
  }

  add(serial: string, incoming: IncomingMessage): void {
    if (incoming.leaf === "connection" && incoming.message.state === "ONLINE" && !incoming.retained) {
      this.#budgets.noteConnection(serial);
    }
    const isWithinBudget = this.#budgets.takeMessage(serial);
    if (isWithinBudget) this.#buffer.add(serial, incoming);
    else this.#buffer.addInPlace(serial, incoming);
    if (isWithinBudget && this.#isAwaited(serial, incoming)) {
      this.#buffer.putFirst(serial);
      void this.flush();
    } else if (this.#buffer.size >= BATCH_ROBOTS && this.#flushing === null) void this.flush();
  }

  /**
   * Whether a caller may be waiting for it (rule 6): a rejection, or the state that follows an acceptance, which itself
   * settles nothing, and would only be a transaction that the state has to wait for.
   */
  #isAwaited(serial: string, incoming: IncomingMessage): boolean {
    if (incoming.leaf === "ack" && incoming.message.status !== "REJECTED") this.#awaited.add(serial);
    if (incoming.leaf === "ack") return incoming.message.status === "REJECTED";
    return incoming.leaf === "state" && !incoming.retained && this.#awaited.delete(serial);
  }

  /**
   * Stores everything that is waiting. Later arrivals wait for the next flush, so that a transaction stores many: its
   * statements cost nearly the same for few. Never rejects: what cannot be stored yet keeps waiting.
   */
  flush(): Promise<void> {
    if (this.#flushing !== null) {
      this.#isFlushedAgain = true;
      return this.#flushing;
    }
    if (this.#buffer.size === 0 || this.#deps.clock.monotonicMs() < this.#notBeforeMs) return Promise.resolve();
    this.#flushing = this.#drain().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /**
   * Stores what has arrived so far, but not later arrivals: some robot is always talking. True if all of it is stored,
   * apart from single robots' messages that cannot be. Never rejects.
   */
  async storeArrived(): Promise<boolean> {
    const { arrived } = this.#buffer;
    const waits = () =>
      this.#inRound.some((of) => this.#buffer.arrivedBy(of, arrived)) ||
      this.#buffer.hasWaitingFrom(arrived, (serial) => this.#failing.has(serial));
    void this.flush();
    while (waits() && this.#flushing !== null) await Promise.race([this.#roundEnd.promise, this.#flushing]);
    return !waits();
  }

  /** Discards what waits: this server may no longer write. */
  clear(): void {
    this.#generation += 1;
    this.#notBeforeMs = 0;
    this.#failing.clear();
    this.#awaited.clear();
    this.#buffer.clear();
  }

  /** Discards what waits of robots that this server is no longer the bridge of. */
  dropLost(): void {
    const { isHeld } = this.#deps;
    this.#buffer.keep(isHeld);
    for (const serial of this.#failing.keys()) if (!isHeld(serial)) this.#failing.delete(serial);
  }

  async #drain(): Promise<void> {
    do {
      this.#isFlushedAgain = false;
      const { arrived } = this.#buffer;
      const isWaiting = () => this.#buffer.hasWaitingFrom(arrived, (serial) => this.#failing.has(serial));
      for (let hasMore = true; hasMore;) {
        hasMore = (await this.#storeRound()) && isWaiting();
        this.#inRound = [];
        this.#roundEnd.resolve();
        this.#roundEnd = Promise.withResolvers();
      }
    } while (this.#isFlushedAgain);
  }

  /** False if nothing is left that can be stored now. */
  async #storeRound(): Promise<boolean> {
    const generation = this.#generation;
    const nowMs = this.#deps.clock.monotonicMs();
    const mayTake = (serial: string) =>
      (this.#failing.get(serial)?.notBeforeMs ?? 0) <= nowMs && this.#deps.isHeld(serial);
    const batch = this.#buffer.take(BATCH_ROBOTS, mayTake);
    if (batch.length === 0) return false;
    this.#inRound = batch;
    const round: Round = { done: [], waiting: [], failed: [] };
    await this.#storeBatch(batch, round);
    if (generation !== this.#generation) return false;
    for (const serial of round.done) this.#failing.delete(serial);
    const left = [...round.waiting, ...(await this.#retryOrDrop(round))];
    if (generation !== this.#generation) return false;
    const kept = left.filter(({ serial }) => this.#deps.isHeld(serial));
    if (kept.length > 0) this.#buffer.putBack(kept);
    return round.waiting.length === 0 && this.#deps.clock.monotonicMs() >= this.#notBeforeMs;
  }

  /** Stores a batch; if that fails, each half separately, so that no robot's messages block the others (rule 10). */
  async #storeBatch(taken: readonly RobotMessages[], round: Round): Promise<void> {
    const { db, clock, log, bad, onIngested, isHeld } = this.#deps;
    const batch = taken.filter(({ serial }) => isHeld(serial));
    if (batch.length === 0) return;
    if (clock.monotonicMs() < this.#notBeforeMs) {
      // The first half found the database unreachable.
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
      for (const { serial, messages } of ingested.misplaced) bad.add("topic", serial, messages);
      round.done.push(...batch.map(({ serial }) => serial).filter((serial) => !unknown.has(serial)));
      onIngested(ingested);
      return;
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown";
      if (isTransactionConflict(error) || isDatabaseUnreachable(error)) {
        round.waiting.push(...batch);
        if (isTransactionConflict(error)) return;
        log.warn({ error, robots: batch.length }, "could not store robots' messages; retrying");
        this.#notBeforeMs = clock.monotonicMs() + RETRY_MS;
        return;
      }
      const [only] = batch;
      if (only !== undefined && batch.length === 1) {
        if (isRefusedData(error)) {
          round.done.push(only.serial);
          this.#drop("refused", only, reason);
        } else round.failed.push({ of: only, reason });
        return;
      }
    }
    const middle = Math.ceil(batch.length / 2);
    await this.#storeBatch(batch.slice(0, middle), round);
    await this.#storeBatch(batch.slice(middle), round);
  }

  /** The messages to retry. If no robot's could be stored, no message is to blame, and all are retried. */
  async #retryOrDrop({ done, failed }: Round): Promise<RobotMessages[]> {
    const { db, clock, log } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (done.length === 0 && failed.length > 1) {
      log.error({ reason: failed[0]?.reason, robots: failed.length }, "no robot's messages could be stored");
      this.#notBeforeMs = nowMs + RETRY_MS;
      return failed.map(({ of }) => of);
    }
    const retried: RobotMessages[] = [];
    for (const { of, reason } of failed) {
      const attempts = (this.#failing.get(of.serial)?.attempts ?? 0) + 1;
      if (attempts < MAX_ATTEMPTS) {
        const notBeforeMs = nowMs + RETRY_MS * 2 ** (attempts - 1);
        this.#failing.set(of.serial, { attempts, notBeforeMs });
        const fields = { serial: of.serial, reason, attempts };
        log.warn(fields, "a robot's messages could not be stored; retrying", of.serial);
        retried.push(of);
        continue;
      }
      this.#failing.delete(of.serial);
      this.#drop("set-aside", of, reason);
      await alertLostMessages(db, of.serial, clock.now()).catch((error: unknown) => {
        log.error({ error, serial: of.serial }, "an alert about lost messages could not be raised", of.serial);
      });
    }
    return retried;
  }

  #drop(kind: "refused" | "set-aside", { serial, messages }: RobotMessages, reason: string): void {
    this.#deps.bad.add(kind, serial, messages.length);
    this.#deps.log.error({ serial, reason }, "a robot's messages could not be stored and were dropped", serial);
  }
}

/** By its SQLSTATE, the transaction lost against another one, or this server stood still in it: it is simply retried. */
const isTransactionConflict = (error: unknown): boolean => /^(40...|25P03)$/.test(codeOf(error));

/** The data is to blame, and will be refused again: invalid values, violated constraints, exceeded limits. */
const isRefusedData = (error: unknown): boolean => /^(22|23|54)...$/.test(codeOf(error));

/** Maximum messages per robot; then the oldest is dropped, since the newest reflect the current state. */
const MAX_PER_ROBOT = 32;
/** Messages per robot and flush, so that one robot's backlog does not delay the others. */
const TAKEN_PER_ROBOT = 8;

type OnDropped = (serial: string, dropped: number, kind: "overflow" | "over-budget") => void;

/**
 * Messages received but not stored yet, in order per robot, and bounded. Of states that do not differ in anything that
 * commands or runs depend on, only the newest is kept.
 */
export class IncomingBuffer {
  #bySerial = new Map<string, IncomingMessage[]>();
  /** Robots that are taken out before the others. */
  readonly #first = new Set<string>();
  #arrived = 0;
  readonly #onDropped: OnDropped;
  /** If more robots wait, the one that has waited longest is dropped. */
  maxRobots = Number.POSITIVE_INFINITY;

  constructor(onDropped: OnDropped) {
    this.#onDropped = onDropped;
  }

  get size(): number {
    return this.#bySerial.size;
  }

  get arrived(): number {
    return this.#arrived;
  }

  /** Whether the first of these messages was among the first `arrived`. */
  arrivedBy({ messages: [first] }: RobotMessages, arrived: number): boolean {
    return first !== undefined && (first.arrival ?? 0) <= arrived;
  }

  /** Whether any of the first `arrived` messages still waits, ignoring robots that `mayBeLeft` excludes. */
  hasWaitingFrom(arrived: number, mayBeLeft: (serial: string) => boolean): boolean {
    for (const [serial, messages] of this.#bySerial) {
      if (!mayBeLeft(serial) && this.arrivedBy({ serial, messages }, arrived)) return true;
    }
    return false;
  }

  add(serial: string, incoming: IncomingMessage): void {
    incoming.arrival ??= this.#arrived += 1;
    const waiting = this.#bySerial.get(serial);
    if (!waiting) {
      this.#bySerial.set(serial, [incoming]);
      this.#dropLongestWaiting();
      return;
    }
    const replaced = indexReplacedBy(waiting, incoming);
    if (replaced !== null) waiting.splice(replaced, 1);
    waiting.push(incoming);
    if (waiting.length > MAX_PER_ROBOT) {
      waiting.shift();
      this.#onDropped(serial, 1, "overflow");
    }
  }

  /**
   * Adds a message over the robot's budget: it replaces a waiting message of its kind if it is newer. Events replace
   * nothing; the robot repeats them.
   */
  addInPlace(serial: string, incoming: IncomingMessage): void {
    const waiting = this.#bySerial.get(serial);
    const at = waiting?.findLastIndex((one) => isSameKind(one, incoming)) ?? -1;
    const former = waiting?.[at];
    if (waiting === undefined || former === undefined) {
      this.add(serial, incoming);
      return;
    }
    if (isNewer(former, incoming)) {
      incoming.arrival = this.#arrived += 1;
      waiting.splice(at, 1);
      waiting.push(incoming);
    }
    this.#onDropped(serial, 1, "over-budget");
  }

  /** This robot's messages need not wait for those of all others: of a large fleet, for seconds. */
  putFirst(serial: string): void {
    this.#first.add(serial);
  }

  /**
   * Removes the messages of up to `maxRobots` robots that `mayTake` accepts: those that were put first, then longest
   * waiting first; of a robot with a backlog only the first few.
   */
  take(maxRobots: number, mayTake: (serial: string) => boolean = () => true): RobotMessages[] {
    const taken: RobotMessages[] = [];
    const later: [string, IncomingMessage[]][] = [];
    const serials = [...this.#first];
    this.#first.clear();
    for (const serial of chained(serials, this.#bySerial.keys())) {
      if (taken.length >= maxRobots) break;
      const messages = this.#bySerial.get(serial);
      if (messages === undefined || !mayTake(serial)) continue;
      if (messages.length > TAKEN_PER_ROBOT) later.push([serial, messages.slice(TAKEN_PER_ROBOT)]);
      taken.push({ serial, messages: messages.slice(0, TAKEN_PER_ROBOT) });
      this.#bySerial.delete(serial);
    }
    for (const [serial, messages] of later) this.#bySerial.set(serial, messages);
    return taken;
  }

  /** Puts back what could not be stored, ahead of what has arrived since. */
  putBack(taken: readonly RobotMessages[]): void {
    const newer = this.#bySerial;
    this.#bySerial = new Map(taken.map(({ serial, messages }) => [serial, [...messages]]));
    for (const [serial, messages] of newer) for (const incoming of messages) this.add(serial, incoming);
  }

  keep(isKept: (serial: string) => boolean): void {
    for (const serial of this.#bySerial.keys()) if (!isKept(serial)) this.#bySerial.delete(serial);
  }

  clear(): void {
    this.#bySerial.clear();
    this.#first.clear();
  }

  #dropLongestWaiting(): void {
    if (this.#bySerial.size <= this.maxRobots) return;
    const oldest = this.#bySerial.entries().next();
    if (oldest.done) return;
    const [serial, messages] = oldest.value;
    this.#bySerial.delete(serial);
    this.#onDropped(serial, messages.length, "overflow");
  }
}

function* chained<T>(...lists: readonly Iterable<T>[]): Iterable<T> {
  for (const list of lists) yield* list;
}

function isSameKind(one: IncomingMessage, other: IncomingMessage): boolean {
  if (one.leaf !== other.leaf) return false;
  return !("retained" in one && "retained" in other) || one.retained === other.retained;
}

/** Whether `next`, which arrived after `former` of the same kind, is more informative. */
function isNewer(former: IncomingMessage, next: IncomingMessage): boolean {
  if (next.leaf === "ack") return true;
  if (next.leaf === "event" || former.leaf === "ack" || former.leaf === "event") return false;
  const [was, is] = [former.message, next.message];
  if (was.session !== is.session) return is.session > was.session;
  return "seq" in was && "seq" in is ? is.seq > was.seq : true;
}

/** The index of the last waiting message if it is a state that this one makes redundant. */
function indexReplacedBy(waiting: readonly IncomingMessage[], incoming: IncomingMessage): number | null {
  const last = waiting.at(-1);
  if (last?.leaf !== "state" || incoming.leaf !== "state" || last.retained !== incoming.retained) return null;
  const newer = incoming.message.session === last.message.session && incoming.message.seq > last.message.seq;
  return newer && showsTheSame(last.message, incoming.message) ? waiting.length - 1 : null;
}

function showsTheSame(one: StateMessage, other: StateMessage): boolean {
  return (
    one.motion === other.motion &&
    one.runId === other.runId &&
    one.mode === other.mode &&
    one.lastSeq === other.lastSeq &&
    one.applied.direction === other.applied.direction &&
    one.applied.mainSpeed === other.applied.mainSpeed &&
    one.applied.brushSpeed === other.applied.brushSpeed
  );
}

import type { StateMessage } from "@suncrew/contract/devices/messages.ts";
import type { IncomingMessage } from "./devices.mqtt.ts";

/** Robots remembered while the database is away; beyond it the robot that waits longest is dropped. */
const MAX_ROBOTS = 50_000;
/** Queue limit per robot; beyond it the oldest message is dropped, since the newest reflect the current state. */
const MAX_PER_ROBOT = 32;
/** Messages per robot and flush, so that one robot's backlog does not delay the others. */
const TAKEN_PER_ROBOT = 8;

type OnDropped = (serial: string, dropped: number, kind: "overflow" | "over-budget") => void;

export interface RobotMessages {
  readonly serial: string;
  readonly messages: readonly IncomingMessage[];
}

/**
 * What arrived and is not stored yet, in order for each robot and bounded. Of states that differ in nothing that
 * commands or runs look at, only the newest is kept.
 */
export class IncomingBuffer {
  #bySerial = new Map<string, IncomingMessage[]>();
  /** The how-manieth each message was that came. */
  readonly #arrivals = new WeakMap<IncomingMessage, number>();
  #arrived = 0;
  readonly #onDropped: OnDropped;
  readonly #maxRobots: number;

  constructor(onDropped: OnDropped, maxRobots = MAX_ROBOTS) {
    this.#onDropped = onDropped;
    this.#maxRobots = maxRobots;
  }

  /** How many robots have something waiting. */
  get size(): number {
    return this.#bySerial.size;
  }

  /** How many messages have come. */
  get arrived(): number {
    return this.#arrived;
  }

  /** True where the first of these came among the first `arrived`. */
  arrivedBy({ messages: [first] }: RobotMessages, arrived: number): boolean {
    return first !== undefined && (this.#arrivals.get(first) ?? 0) <= arrived;
  }

  /** True while anything that came among the first `arrived` waits, but of robots that `mayBeLeft` names. */
  hasWaitingFrom(arrived: number, mayBeLeft: (serial: string) => boolean): boolean {
    for (const [serial, messages] of this.#bySerial) {
      if (!mayBeLeft(serial) && this.arrivedBy({ serial, messages }, arrived)) return true;
    }
    return false;
  }

  add(serial: string, incoming: IncomingMessage): void {
    if (!this.#arrivals.has(incoming)) this.#arrivals.set(incoming, (this.#arrived += 1));
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
   * Adds a message past the robot's budget: it takes the place of one of its kind that waits, where it is newer. An event
   * takes no other's place; the robot tells it again.
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
      this.#arrivals.set(incoming, (this.#arrived += 1));
      waiting.splice(at, 1);
      waiting.push(incoming);
    }
    this.#onDropped(serial, 1, "over-budget");
  }

  /**
   * Takes out messages of up to `maxRobots` robots that `mayTake` has nothing against, those that wait longest first; of a
   * robot that said more than the others the first ones.
   */
  take(maxRobots: number, mayTake: (serial: string) => boolean = () => true): RobotMessages[] {
    const taken: RobotMessages[] = [];
    const later: [string, IncomingMessage[]][] = [];
    for (const [serial, messages] of this.#bySerial) {
      if (taken.length >= maxRobots) break;
      if (!mayTake(serial)) continue;
      if (messages.length > TAKEN_PER_ROBOT) later.push([serial, messages.slice(TAKEN_PER_ROBOT)]);
      taken.push({ serial, messages: messages.slice(0, TAKEN_PER_ROBOT) });
      this.#bySerial.delete(serial);
    }
    for (const [serial, messages] of later) this.#bySerial.set(serial, messages);
    return taken;
  }

  /** Puts back what could not be stored, before what arrived since. */
  putBack(taken: readonly RobotMessages[]): void {
    const newer = this.#bySerial;
    this.#bySerial = new Map(taken.map(({ serial, messages }) => [serial, [...messages]]));
    for (const [serial, messages] of newer) for (const incoming of messages) this.add(serial, incoming);
  }

  clear(): void {
    this.#bySerial.clear();
  }

  #dropLongestWaiting(): void {
    if (this.#bySerial.size <= this.#maxRobots) return;
    const oldest = this.#bySerial.entries().next();
    if (oldest.done) return;
    const [serial, messages] = oldest.value;
    this.#bySerial.delete(serial);
    this.#onDropped(serial, messages.length, "overflow");
  }
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

/** The last waiting message where it is a state that this one makes superfluous. */
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

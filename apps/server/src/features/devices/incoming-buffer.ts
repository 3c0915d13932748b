import type { StateMessage } from "@suncrew/contract/devices/messages.ts";
import type { IncomingMessage } from "./devices.mqtt.ts";

/** Robots remembered while the database is away; beyond it the robot that waits longest is dropped. */
const MAX_ROBOTS = 50_000;
/** Messages of one robot that wait in order; beyond it the oldest is dropped, the newest tell the truth. */
const MAX_PER_ROBOT = 32;

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
  readonly #onOverflow: (serial: string, dropped: number) => void;
  readonly #maxRobots: number;

  constructor(onOverflow: (serial: string, dropped: number) => void, maxRobots = MAX_ROBOTS) {
    this.#onOverflow = onOverflow;
    this.#maxRobots = maxRobots;
  }

  /** How many robots have something waiting. */
  get size(): number {
    return this.#bySerial.size;
  }

  add(serial: string, incoming: IncomingMessage): void {
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
      this.#onOverflow(serial, 1);
    }
  }

  /** Takes out the messages of up to `maxRobots` robots that `mayTake` has nothing against, those that wait longest first. */
  take(maxRobots: number, mayTake: (serial: string) => boolean = () => true): RobotMessages[] {
    const taken: RobotMessages[] = [];
    for (const [serial, messages] of this.#bySerial) {
      if (taken.length >= maxRobots) break;
      if (!mayTake(serial)) continue;
      taken.push({ serial, messages });
      this.#bySerial.delete(serial);
    }
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
    this.#onOverflow(serial, messages.length);
  }
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

import type { RobotLeaf } from "@suncrew/contract/devices/topics.ts";
import type { ActiveFaults } from "../faults/fault.ts";
import type { Outgoing } from "../robot/report.ts";
import type { FleetClock } from "./clock.ts";

type Publish = (leaf: RobotLeaf, payload: string) => void;

/** Passes the robot's messages to its link, subject to its faults. One per link. */
export class Outbox {
  readonly #publish: Publish;
  readonly #faults: ActiveFaults;
  readonly #clock: FleetClock;
  /** Messages that wait for the memory to be stored; null if nothing waits. */
  #queued: Outgoing[] | null = null;

  constructor(publish: Publish, faults: ActiveFaults, clock: FleetClock) {
    this.#publish = publish;
    this.#faults = faults;
    this.#clock = clock;
  }

  /** Sends in order, and nothing before `stored` resolves. */
  send(messages: readonly Outgoing[], stored: Promise<void> | null): void {
    if (this.#queued !== null) {
      this.#queued.push(...messages);
    } else if (stored === null) {
      for (const message of messages) this.#transmit(message);
    } else {
      this.#queued = [...messages];
      // The store reports a memory that it cannot write; messages that depend on it are then dropped.
      void stored.then(
        () => this.#flush(),
        () => (this.#queued = null),
      );
    }
  }

  #flush(): void {
    const queued = this.#queued ?? [];
    this.#queued = null;
    for (const message of queued) this.#transmit(message);
  }

  #transmit({ leaf, message }: Outgoing): void {
    if (this.#faults.has("silent") || this.#faults.get("malformed")?.instead === true) return;
    const payload = JSON.stringify(message);
    const send = (): void => {
      this.#publish(leaf, payload);
      if (this.#faults.has("twice")) this.#publish(leaf, payload);
    };
    const delayMs = this.#delayMs();
    if (delayMs === 0) send();
    else this.#clock.after(delayMs, send);
  }

  #delayMs(): number {
    const late = this.#faults.get("late");
    const shuffle = this.#faults.get("shuffle");
    const lateMs = late?.what === "answers" ? late.ms : 0;
    return lateMs + (shuffle === undefined ? 0 : Math.round(Math.random() * shuffle.ms));
  }
}

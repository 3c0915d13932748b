import type { RobotLeaf } from "@suncrew/contract/devices/topics.ts";
import type { ActiveFaults } from "../faults/active-faults.ts";
import type { Outgoing } from "../robot/report.ts";
import type { FleetClock } from "./clock.ts";

type Publish = (leaf: RobotLeaf, payload: string) => void;

/** The robot's outgoing messages on their way to its link, subject to its faults. One per link. */
export class Outbox {
  readonly #publish: Publish;
  readonly #faults: ActiveFaults;
  readonly #clock: FleetClock;
  /** Messages that wait for the memory to be stored; null if nothing waits. */
  #held: Outgoing[] | null = null;

  constructor(publish: Publish, faults: ActiveFaults, clock: FleetClock) {
    this.#publish = publish;
    this.#faults = faults;
    this.#clock = clock;
  }

  /** Sends in order, and nothing before `stored` resolves. */
  send(messages: readonly Outgoing[], stored: Promise<void> | null): void {
    if (this.#held !== null) {
      this.#held.push(...messages);
    } else if (stored === null) {
      for (const message of messages) this.#pass(message);
    } else {
      this.#held = [...messages];
      // The store reports a memory that it cannot write; messages that depend on it are then dropped.
      void stored.then(
        () => this.#release(),
        () => (this.#held = null),
      );
    }
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const message of held) this.#pass(message);
  }

  #pass({ leaf, message }: Outgoing): void {
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

import { v7 as uuidv7 } from "uuid";
import type { PressedStop } from "./command-rows.repository.ts";
import type { KnownRobot } from "./known-fleet.repository.ts";

/** A person's Stop for robots of a site, from the press to its answer. Each robot's order has its id and seq at once. */
export class StopPress {
  readonly id = uuidv7();
  readonly at: Date;
  /** Those that may be told before the database is asked. */
  readonly robots: readonly KnownRobot[];
  readonly #onStored: (robotId: number) => void;
  readonly #pressed: ReadonlyMap<number, PressedStop>;
  readonly #stored = new Set<number>();
  readonly #handedOver = new Set<number>();
  readonly #kept = new Set<number>();
  readonly #sent = new Set<number>();

  constructor(at: Date, robots: readonly KnownRobot[], onStored: (robotId: number) => void) {
    this.at = at;
    this.robots = robots;
    this.#onStored = onStored;
    this.#pressed = new Map(
      robots.map(({ id, lastSeq }) => {
        return [id, { id: uuidv7(), seq: Math.max(at.getTime(), lastSeq + 1), wasSent: false }];
      }),
    );
  }

  /** What the robot's order is known by, wherever it is sent or stored; nothing for a robot that was not known. */
  of(robotId: number): PressedStop | undefined {
    return this.#pressed.get(robotId);
  }

  /** Its row is committed. */
  noteStored(robotId: number): void {
    this.#stored.add(robotId);
    if (this.#kept.has(robotId)) this.#onStored(robotId);
  }

  /** Whoever stored its row has sent it, or sees to it that it is sent. */
  noteHandedOver(robotId: number): void {
    this.#handedOver.add(robotId);
  }

  /** It is in the journal, and sent until it has its row. */
  noteKept(robotId: number): void {
    this.#kept.add(robotId);
  }

  /** The broker has taken it. */
  noteSent(robotId: number): void {
    this.#sent.add(robotId);
  }

  /** The time that its rows get: of the press where robots were told before they had one, else of the decision. */
  recordedAt(decidedAt: Date): Date {
    return this.#kept.size > 0 ? this.at : decidedAt;
  }

  isStored(robotId: number): boolean {
    return this.#stored.has(robotId);
  }

  get isAnyStored(): boolean {
    return this.#stored.size > 0;
  }

  /** Whom nobody has told yet. */
  get untold(): readonly KnownRobot[] {
    return this.robots.filter(({ id }) => !this.#handedOver.has(id) && !this.#kept.has(id));
  }

  /** True where the journal has it and the database does not. */
  isKeptOnly(robotId: number): boolean {
    return this.#kept.has(robotId) && !this.#stored.has(robotId);
  }

  wasSent(robotId: number): boolean {
    return this.#sent.has(robotId);
  }
}

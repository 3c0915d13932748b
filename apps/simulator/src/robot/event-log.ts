import type { EventMessage } from "@suncrew/contract/devices/messages.ts";

const CAPACITY = 200;
const REPEAT_MS = 10_000;

type Unnumbered<E> = E extends EventMessage ? Omit<E, "eventSeq"> : never;
export type NewEvent = Unnumbered<EventMessage>;

/** Events wait here until a RECEIVED names them; the oldest of more than 200 is lost. */
export class EventLog {
  #waiting: EventMessage[];
  #lastSeq: number;
  #unsent: number[] = [];
  #sentAtMs = 0;

  constructor(waiting: readonly EventMessage[], lastSeq: number) {
    this.#waiting = [...waiting];
    this.#lastSeq = lastSeq;
  }

  add(event: NewEvent): void {
    this.#lastSeq += 1;
    this.#waiting.push({ ...event, eventSeq: this.#lastSeq });
    this.#unsent.push(this.#lastSeq);
    if (this.#waiting.length > CAPACITY) this.#waiting = this.#waiting.slice(-CAPACITY);
  }

  /** True where the event was still waiting. */
  received(eventSeq: number): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((event) => event.eventSeq !== eventSeq);
    return this.#waiting.length < before;
  }

  /** After a new connection all are told again. */
  repeatAll(): void {
    this.#sentAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Those to publish now: new ones, and every 10 s all that are unacknowledged. */
  due(monotonicMs: number): readonly EventMessage[] {
    if (this.#waiting.length === 0) return [];
    if (monotonicMs - this.#sentAtMs >= REPEAT_MS) {
      this.#sentAtMs = monotonicMs;
      this.#unsent = [];
      return [...this.#waiting];
    }
    if (this.#unsent.length === 0) return [];
    const fresh = this.#waiting.filter((event) => this.#unsent.includes(event.eventSeq));
    this.#unsent = [];
    return fresh;
  }

  get waiting(): readonly EventMessage[] {
    return this.#waiting;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }
}

import type { DeviceAlert, EventMessage, RunEndReason } from "@suncrew/contract/devices/messages.ts";
import { instantOf } from "./moment.ts";

const CAPACITY = 200;
const REPEAT_MS = 10_000;

type Unnumbered<E> = E extends EventMessage ? Omit<E, "eventSeq"> : never;
type NewEvent = Unnumbered<EventMessage>;

/** Events wait here until a RECEIVED names them; beyond 200, the oldest are dropped. */
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

  /** True if the event was still waiting. */
  received(eventSeq: number): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((event) => event.eventSeq !== eventSeq);
    return this.#waiting.length < before;
  }

  /** A new connection sends all of them again. */
  repeatAll(): void {
    this.#sentAtMs = Number.NEGATIVE_INFINITY;
  }

  /** The events to publish now: new ones, and every 10 s all unacknowledged ones. */
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

/** The session, battery and time of an event. */
export interface EventContext {
  readonly session: number;
  /** Whole percent. */
  readonly battery: number;
  readonly wallMs: number;
}

export function runBegan(runId: string, { session, battery, wallMs }: EventContext): NewEvent {
  const at = instantOf(wallMs);
  return { kind: "RUN_BEGAN", runId, at, ts: at, session, battery };
}

/** `endedAtMs` is before the event's own time if the end was noticed late. */
export function runEnded(runId: string, reason: RunEndReason, endedAtMs: number, context: EventContext): NewEvent {
  const { session, battery, wallMs } = context;
  return { kind: "RUN_ENDED", runId, reason, at: instantOf(endedAtMs), ts: instantOf(wallMs), session, battery };
}

/** Events for the alerts that changed, cleared ones first. */
export function alertChanges(
  before: readonly DeviceAlert[],
  after: readonly DeviceAlert[],
  { session, wallMs }: EventContext,
): NewEvent[] {
  const at = instantOf(wallMs);
  const envelope = { at, ts: at, session };
  const isIn = (alerts: readonly DeviceAlert[], code: string): boolean => alerts.some((alert) => alert.code === code);
  return [
    ...before
      .filter(({ code }) => !isIn(after, code))
      .map(({ code }): NewEvent => ({ kind: "ALERT_CLEARED", code, ...envelope })),
    ...after
      .filter(({ code }) => !isIn(before, code))
      .map((alert): NewEvent => ({ kind: "ALERT_RAISED", alert, ...envelope })),
  ];
}

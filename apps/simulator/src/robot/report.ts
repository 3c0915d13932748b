import type {
  AckMessage,
  ConnectionMessage,
  EventMessage,
  FirmwareStateMessage,
  StateMessage,
} from "@suncrew/contract/devices/messages.ts";
import { instantOf, type Moment } from "./moment.ts";

/** A message that the robot wants published on one of its own leaves. */
export type Outgoing =
  | { readonly leaf: "connection"; readonly message: ConnectionMessage }
  | { readonly leaf: "state"; readonly message: StateMessage }
  | { readonly leaf: "ack"; readonly message: AckMessage }
  | { readonly leaf: "event"; readonly message: EventMessage }
  | { readonly leaf: "firmware/state"; readonly message: FirmwareStateMessage };

type Reading = Omit<StateMessage, "seq" | "ts" | "session">;

/** What a robot reports about itself; the battery in whole percent. */
export function readingOf(robot: Reading): Reading {
  return {
    status: robot.status,
    motion: robot.motion,
    mode: robot.mode,
    battery: shownBattery(robot.battery),
    charging: robot.charging,
    applied: robot.applied,
    runId: robot.runId,
    lastSeq: robot.lastSeq,
    lastCommandId: robot.lastCommandId,
    firmware: robot.firmware,
    alerts: robot.alerts,
  };
}

export function shownBattery(battery: number): number {
  return Math.round(battery);
}

/** Decides when a state is due: on every change, on request, and at least every `intervalMs`. */
export class Reporter {
  readonly #intervalMs: number;
  #seq = 0;
  #last = "";
  #lastAtMs = Number.NEGATIVE_INFINITY;
  #requested = false;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** A new session counts its states from one and starts with a full one. */
  beginSession(): void {
    this.#seq = 0;
    this.#requested = true;
  }

  request(): void {
    this.#requested = true;
  }

  due(reading: Reading, session: number, { monotonicMs, wallMs }: Moment): Outgoing | null {
    const now = JSON.stringify(reading);
    if (!this.#requested && now === this.#last && monotonicMs - this.#lastAtMs < this.#intervalMs) return null;
    this.#requested = false;
    this.#last = now;
    this.#lastAtMs = monotonicMs;
    this.#seq += 1;
    return { leaf: "state", message: { seq: this.#seq, ts: instantOf(wallMs), session, ...reading } };
  }
}

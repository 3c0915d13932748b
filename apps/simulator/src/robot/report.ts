import type { StateMessage } from "@suncrew/contract/devices/messages.ts";
import type { Outgoing } from "./outgoing.ts";
import { instantOf, type Moment } from "./moment.ts";

export type Reading = Omit<StateMessage, "seq" | "ts" | "session">;

/** The robot as it reports itself; it says whole percents. */
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

/** Decides when a state is due: on every change, when asked, and at least each `intervalMs`. */
export class Reporter {
  readonly #intervalMs: number;
  #seq = 0;
  #last = "";
  #lastAtMs = Number.NEGATIVE_INFINITY;
  #asked = false;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** A new session counts its reports from one and begins with a full one. */
  beginSession(): void {
    this.#seq = 0;
    this.#asked = true;
  }

  ask(): void {
    this.#asked = true;
  }

  due(reading: Reading, session: number, { monotonicMs, wallMs }: Moment): Outgoing | null {
    const now = JSON.stringify(reading);
    if (!this.#asked && now === this.#last && monotonicMs - this.#lastAtMs < this.#intervalMs) return null;
    this.#asked = false;
    this.#last = now;
    this.#lastAtMs = monotonicMs;
    this.#seq += 1;
    return { leaf: "state", message: { seq: this.#seq, ts: instantOf(wallMs), session, ...reading } };
  }
}

import type { StateMessage } from "@suncrew/contract/devices/messages.ts";
import type { Outgoing } from "./outgoing.ts";
import { instantOf } from "./moment.ts";

export type Reading = Omit<StateMessage, "seq" | "ts" | "session">;

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

  due(reading: Reading, session: number, monotonicMs: number, wallMs: number): Outgoing | null {
    const now = JSON.stringify(reading);
    if (!this.#asked && now === this.#last && monotonicMs - this.#lastAtMs < this.#intervalMs) return null;
    this.#asked = false;
    this.#last = now;
    this.#lastAtMs = monotonicMs;
    this.#seq += 1;
    return { leaf: "state", message: { seq: this.#seq, ts: instantOf(wallMs), session, ...reading } };
  }
}

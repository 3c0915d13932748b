import { type Conditions, soundCondition } from "../robot/conditions.ts";
import type { Fault, FaultKind } from "./fault.ts";

/** The faults of one robot, at most one of each kind. */
export class ActiveFaults {
  readonly #byKind = new Map<FaultKind, Fault>();

  set(fault: Fault): void {
    this.#byKind.set(fault.kind, fault);
  }

  delete(kind: FaultKind): boolean {
    return this.#byKind.delete(kind);
  }

  get<K extends FaultKind>(kind: K): Extract<Fault, { kind: K }> | undefined {
    const fault = this.#byKind.get(kind);
    return fault === undefined ? undefined : (fault as Extract<Fault, { kind: K }>);
  }

  has(kind: FaultKind): boolean {
    return this.#byKind.has(kind);
  }

  list(): Fault[] {
    return [...this.#byKind.values()];
  }

  /** Keeps the robot from its broker. */
  get cutOff(): boolean {
    return this.has("away") || this.has("drop-link");
  }

  get conditions(): Conditions {
    const refuse = this.get("refuse");
    const firmware = this.get("firmware");
    return {
      ...soundCondition,
      jammed: this.has("jam"),
      batteryHeldAt: this.get("low-battery")?.percent ?? null,
      warning: this.get("warning")?.text ?? null,
      oddStatus: this.get("odd-status")?.text ?? null,
      firmware: firmware === undefined ? null : { what: firmware.what, seconds: firmware.seconds },
      refuses: refuse === undefined ? null : { code: refuse.code, verbs: refuse.verbs },
    };
  }

  /** What the robot believes the time of day to be. */
  wallMs(trueMs: number, monotonicMs: number): number {
    const clock = this.get("wrong-clock");
    if (clock === undefined) return trueMs;
    return clock.offset === "unset" ? Math.floor(monotonicMs) : trueMs + clock.offset;
  }
}

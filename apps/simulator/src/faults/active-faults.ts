import { MAX_MESSAGE_BYTES, type RobotLeaf, robotLeaves } from "@suncrew/contract/devices/topics.ts";
import { type Conditions, healthyConditions } from "../robot/conditions.ts";
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

  /** The robot has no connection to its broker. */
  get isOffline(): boolean {
    return this.has("away") || this.has("drop-link");
  }

  get conditions(): Conditions {
    const refuse = this.get("refuse");
    const firmware = this.get("firmware");
    return {
      ...healthyConditions,
      jammed: this.has("jam"),
      failedChargerPercent: this.get("low-battery")?.percent ?? null,
      warning: this.get("warning")?.text ?? null,
      oddStatus: this.get("odd-status")?.text ?? null,
      firmware: firmware === undefined ? null : { what: firmware.what, seconds: firmware.seconds },
      refuses: refuse === undefined ? null : { code: refuse.code, verbs: refuse.verbs },
    };
  }

  /** What the robot takes to be the time of day, in Unix milliseconds. */
  wallMs(trueMs: number, monotonicMs: number): number {
    const clock = this.get("wrong-clock");
    if (clock === undefined) return trueMs;
    return clock.offset === "unset" ? Math.floor(monotonicMs) : trueMs + clock.offset;
  }
}

const payloads: readonly (() => string | Buffer)[] = [
  () => "not json",
  () => '{"v":1,"state":"ONL',
  () => '{"v":1,"state":7,"session":"x","ts":null,"battery":4000}',
  () => "[]",
  () => "null",
  () => Buffer.from([0xff, 0xfe, 0x00, 0x80]),
  () => JSON.stringify({ v: 1, padding: "x".repeat(MAX_MESSAGE_BYTES) }),
  () => '{"__proto__":{"session":1},"seq":-1}',
];

/** Cycles through every kind of garbage on every leaf, so that a test sees all of them in turn. */
export class Garbage {
  #step = 0;

  next(): { leaf: RobotLeaf; payload: string | Buffer } {
    const step = this.#step;
    this.#step += 1;
    const leaf = robotLeaves[step % robotLeaves.length] ?? "state";
    const payload = payloads[Math.floor(step / robotLeaves.length) % payloads.length] ?? (() => "");
    return { leaf, payload: payload() };
  }
}

import type { Cancel } from "../../platform/clock.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { publishCommandMessage, questionEnvelope } from "../commands/public.ts";
import type { ReachableRobot } from "./presence.repository.ts";

/** Status requests to a whole fleet are spread over this time (protocol rule 11), or more if it is large. */
const SPREAD_MS = 10_000;
/** Up to this many robots that a command or due run waits for are queried immediately; more over this time at least. */
const MAX_IMMEDIATE = 100;
const AWAITED_SPREAD_MS = 1_000;
/**
 * No faster than one in this time: each costs a message and its answer, while the bridge has much to store. All of a
 * large fleet report by themselves before it is their turn.
 */
const EACH_MS = 1;

/** Asks robots to report their status now, spread over time. */
export class StatusRequests {
  readonly #deps: Pick<Dependencies, "broker" | "clock">;
  readonly #isHeld: (serial: string) => boolean;
  readonly #awaited = new Set<Cancel>();
  /** By serial number. */
  readonly #others = new Map<string, Cancel>();

  constructor(deps: Pick<Dependencies, "broker" | "clock">, isHeld: (serial: string) => boolean) {
    this.#deps = deps;
    this.#isHeld = isHeld;
  }

  /** Whether robots are still to be asked. */
  get isAsking(): boolean {
    return this.#awaited.size + this.#others.size > 0;
  }

  /**
   * Robots that a command or a due run waits for come first, because what they showed while no
   * bridge listened never arrives live: a START would fail 8 s after it was issued and be followed by a STOP (rule 6)
   * although the robot accepted it, and a run would wait (decision 45). The others are queried in the given order,
   * unless they are heard before it is their turn.
   */
  plan(robots: readonly ReachableRobot[]): void {
    const { clock } = this.#deps;
    const { awaited = [], others = [] } = Object.groupBy(robots, (robot) => (robot.awaited ? "awaited" : "others"));
    const forAwaitedMs = spreadMs(awaited, awaited.length > MAX_IMMEDIATE ? AWAITED_SPREAD_MS : 0);
    for (const [index, robot] of awaited.entries()) {
      const cancel = clock.after(Math.floor((index * forAwaitedMs) / awaited.length), () => {
        this.#awaited.delete(cancel);
        void this.#ask(robot);
      });
      this.#awaited.add(cancel);
    }
    const forOthersMs = spreadMs(others, SPREAD_MS);
    for (const [index, robot] of others.entries()) {
      const { serial } = robot;
      this.heard(serial);
      const cancel = clock.after(forAwaitedMs + Math.floor((index * forOthersMs) / others.length), () => {
        this.#others.delete(serial);
        void this.#ask(robot);
      });
      this.#others.set(serial, cancel);
    }
  }

  /** It has reported by itself: unless somebody waits for it, it is not asked. */
  heard(serial: string): void {
    this.#others.get(serial)?.();
    this.#others.delete(serial);
  }

  cancel(): void {
    for (const cancel of [...this.#awaited, ...this.#others.values()]) cancel();
    this.#awaited.clear();
    this.#others.clear();
  }

  async #ask({ serial, session }: ReachableRobot): Promise<void> {
    if (!this.#isHeld(serial)) return;
    const envelope = questionEnvelope(this.#deps.clock.now(), session, "Suncrew");
    try {
      await publishCommandMessage(this.#deps.broker, serial, { ...envelope, verb: "STATUS" });
    } catch {
      // The robot reports within 30 s anyway; after a broker outage, all are queried again.
    }
  }
}

/** Over how long they are asked: this time at least. */
function spreadMs({ length }: readonly unknown[], leastMs: number): number {
  return length > MAX_IMMEDIATE ? Math.max(leastMs, length * EACH_MS) : leastMs;
}

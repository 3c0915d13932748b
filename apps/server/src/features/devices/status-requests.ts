import type { Broker } from "../../platform/broker.ts";
import type { Cancel, Clock } from "../../platform/clock.ts";
import { publishCommandMessage, questionEnvelope } from "../commands/public.ts";
import type { ReachableRobot } from "./devices.repository.ts";

/** Asking a whole fleet is spread over this time (protocol rule 11). */
const SPREAD_MS = 10_000;
/** Up to so many that a command or a due run waits for are asked at once; more are spread over this time. */
const AWAITED_AT_ONCE = 100;
const AWAITED_SPREAD_MS = 1_000;

/** Asks robots to report now, not all at the same moment. */
export class StatusRequests {
  readonly #broker: Broker;
  readonly #clock: Clock;
  #planned: Cancel[] = [];

  constructor(broker: Broker, clock: Clock) {
    this.#broker = broker;
    this.#clock = clock;
  }

  /**
   * Replaces what was planned before. Robots that a command or a due run waits for come first, for what they showed
   * while no bridge listened never comes live: a START would fail 8 s after it was issued and be followed by a STOP
   * (rule 6), though the robot took it, and a run would wait (decision 45). The others are asked in the order given.
   */
  askAll(robots: readonly ReachableRobot[]): void {
    this.cancel();
    const { awaited = [], others = [] } = Object.groupBy(robots, (robot) => (robot.awaited ? "awaited" : "others"));
    this.#askSpread(awaited, awaited.length > AWAITED_AT_ONCE ? AWAITED_SPREAD_MS : 0);
    this.#askSpread(others, SPREAD_MS);
  }

  cancel(): void {
    for (const cancel of this.#planned) cancel();
    this.#planned = [];
  }

  #askSpread(robots: readonly ReachableRobot[], overMs: number): void {
    for (const [index, robot] of robots.entries()) {
      const afterMs = Math.floor((index * overMs) / robots.length);
      this.#planned.push(this.#clock.after(afterMs, () => void this.#ask(robot)));
    }
  }

  async #ask({ serial, session }: ReachableRobot): Promise<void> {
    const envelope = questionEnvelope(this.#clock.now(), session, "Suncrew");
    try {
      await publishCommandMessage(this.#broker, serial, { ...envelope, verb: "STATUS" });
    } catch {
      // The robot reports by itself within 30 s; where the broker is away, all are asked again when it is back.
    }
  }
}

import type { Broker } from "../../platform/broker.ts";
import type { Cancel, Clock } from "../../platform/clock.ts";
import { publishCommandMessage, questionEnvelope } from "../commands/public.ts";
import type { ReachableRobot } from "./devices.writes.ts";

/** Asking a whole fleet is spread over this time (protocol rule 11). */
const SPREAD_MS = 10_000;

/** Asks robots to report now, not all at the same moment. */
export class StatusRequests {
  readonly #broker: Broker;
  readonly #clock: Clock;
  #planned: Cancel[] = [];

  constructor(broker: Broker, clock: Clock) {
    this.#broker = broker;
    this.#clock = clock;
  }

  /** Replaces what was planned before. */
  askAll(robots: readonly ReachableRobot[]): void {
    this.cancel();
    this.#planned = robots.map((robot, index) =>
      this.#clock.after(Math.floor((index * SPREAD_MS) / robots.length), () => void this.#ask(robot)),
    );
  }

  cancel(): void {
    for (const cancel of this.#planned) cancel();
    this.#planned = [];
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

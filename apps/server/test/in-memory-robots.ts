import { commandMessageSchema } from "@suncrew/contract/devices/messages.ts";
import { freshMemory } from "@suncrew/simulator/robot/memory.ts";
import type { Outgoing } from "@suncrew/simulator/robot/report.ts";
import { Robot } from "@suncrew/simulator/robot/robot.ts";
import { questionEnvelope } from "../src/features/commands/public.ts";
import type { RobotMessages } from "../src/features/devices/devices.mqtt.ts";
import { ingest } from "../src/features/devices/ingest.repository.ts";
import type { ManualClock } from "../src/platform/clock.ts";
import type { Db } from "../src/platform/database/database.ts";
import type { TestRobot } from "./fixtures.ts";
import type { PublishedMessage } from "./memory-broker.ts";

/** Neither the battery nor the end of the panels ends a run. */
const tireless = { drainPerMinute: 0.000_01, chargePerMinute: 1, passMinutes: 1e9 };

/** One period of cleaning as it truly was. */
export interface Motion {
  readonly runId: string;
  readonly beganAt: Date;
  endedAt: Date | null;
}

interface InMemoryRobot {
  readonly of: TestRobot;
  robot: Robot;
  linked: boolean;
  readonly motions: Motion[];
}

/**
 * The simulator's robots without broker or timers: a test gives them messages and time, and the bridge their answers.
 */
export class InMemoryRobots {
  readonly #db: Db;
  readonly #clock: ManualClock;
  readonly #bySerial = new Map<string, InMemoryRobot>();
  /** No server receives what robots say: the bridge is down. */
  unheard = false;

  constructor(db: Db, clock: ManualClock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Adds a robot, connected and known to the bridge. */
  async add(of: TestRobot): Promise<void> {
    const memory = freshMemory(this.#moment().wallMs);
    const robot = new Robot({ memory, machine: tireless }, this.#moment());
    this.#bySerial.set(of.serial, { of, robot, linked: false, motions: [] });
    await this.back(of.id);
  }

  /** Everything that a robot truly did. */
  motions(robotId: number): readonly Motion[] {
    return this.#of(robotId).motions;
  }

  /** The robot loses its connection, which the broker reports; or it is switched off, and reports that itself. */
  async leave(robotId: number, { goodbye = false } = {}): Promise<void> {
    const { of, robot } = this.#of(robotId);
    robot.disconnected(this.#moment());
    this.#of(robotId).linked = false;
    const ts = this.#clock.now().toISOString();
    const state = goodbye ? ("OFFLINE" as const) : ("CONNECTION_BROKEN" as const);
    const message = { v: 1, state, session: robot.session, ts } as const;
    await this.#tell([{ serial: of.serial, out: [{ leaf: "connection", message }] }]);
  }

  /** It loses its memory (protocol rule 14), and stops whatever it was doing. */
  loseMemory(robotId: number, then: "counts from nothing" | "counts from the time"): void {
    const now = this.#moment();
    const memory = freshMemory(then === "counts from nothing" ? 0 : now.wallMs);
    this.#of(robotId).robot = new Robot({ memory, machine: tireless }, now);
  }

  async back(robotId: number): Promise<void> {
    const { of, robot } = this.#of(robotId);
    robot.raiseSession();
    this.#of(robotId).linked = true;
    await this.#tell([{ serial: of.serial, out: robot.connected(this.#moment()) }]);
  }

  /** Advances time for the robots: they report and stop by themselves. */
  async tick(robotIds?: readonly number[]): Promise<void> {
    const some = [...this.#bySerial.values()].filter(({ of }) => robotIds?.includes(of.id) ?? true);
    await this.#tell(some.map(({ of, robot }) => ({ serial: of.serial, out: robot.tick(this.#moment()) })));
  }

  /** Commands reach the robots that are connected. */
  async receive(published: readonly PublishedMessage[]): Promise<void> {
    const told: { serial: string; out: Outgoing[] }[] = [];
    for (const { topic, payload } of published) {
      const at = this.#bySerial.get(topic.split("/")[2] ?? "");
      if (at?.linked !== true) continue;
      told.push({ serial: at.of.serial, out: at.robot.receive(Buffer.from(payload), false, this.#moment()) });
    }
    await this.#tell(told);
  }

  /** The robots' messages reach the bridge in one flush; what it receives is acknowledged. */
  async #tell(told: readonly { readonly serial: string; readonly out: readonly Outgoing[] }[]): Promise<void> {
    for (const { serial } of told) this.#note(serial);
    if (this.unheard) return;
    const receivedAt = this.#clock.now();
    const batch: RobotMessages[] = [...Map.groupBy(told, ({ serial }) => serial)].map(([serial, parts]) => ({
      serial,
      messages: parts.flatMap(({ out }) => out.map((message) => ({ ...message, receivedAt, retained: false }))),
    }));
    const spoken = batch.filter(({ messages }) => messages.length > 0);
    if (spoken.length === 0) return;
    const { received } = await ingest(this.#db, spoken, { now: () => receivedAt });
    for (const { serial, session, eventSeq } of received) {
      const message = { ...questionEnvelope(receivedAt, session, "Suncrew"), verb: "RECEIVED", eventSeq };
      const payload = Buffer.from(JSON.stringify(commandMessageSchema.parse(message)));
      this.#bySerial.get(serial)?.robot.receive(payload, false, this.#moment());
    }
  }

  #note(serial: string): void {
    const at = this.#bySerial.get(serial);
    if (at === undefined) return;
    const last = at.motions.at(-1);
    const runId = at.robot.runId;
    if (last !== undefined && last.endedAt === null && last.runId !== runId) last.endedAt = this.#clock.now();
    if (runId !== null && last?.runId !== runId) at.motions.push({ runId, beganAt: this.#clock.now(), endedAt: null });
  }

  #of(robotId: number): InMemoryRobot {
    for (const at of this.#bySerial.values()) if (at.of.id === robotId) return at;
    throw new Error(`There is no robot ${robotId} at hand.`);
  }

  #moment() {
    const ms = this.#clock.now().getTime();
    return { monotonicMs: ms, wallMs: ms };
  }
}

import {
  ackMessageSchema,
  type CommandMessage,
  connectionMessageSchema,
  eventMessageSchema,
  type FirmwareCode,
  type FirmwareOfferMessage,
  firmwareStateMessageSchema,
  type StateMessage,
  stateMessageSchema,
} from "@suncrew/contract/devices/messages.ts";
import type { Conditions } from "../src/robot/conditions.ts";
import { healthyConditions } from "../src/robot/conditions.ts";
import { freshMemory, type RobotMemory, robotMemorySchema } from "../src/robot/memory.ts";
import type { Outgoing } from "../src/robot/report.ts";
import { Robot } from "../src/robot/robot.ts";

export const LINK_LOSS_MS = 300_000;
export const INSTALL_MS = 4_000;

type Verb = CommandMessage["verb"];
type CommandOf<V extends Verb> = Extract<CommandMessage, { verb: V }>;

let ids = 0;

/** A new UUID, the same in every test run. */
export function nextId(): string {
  ids += 1;
  return `00000000-0000-4000-8000-${String(ids).padStart(12, "0")}`;
}

/** One robot with clocks that the test controls, and a record of everything that it published. */
export class RobotHarness {
  monotonicMs = 1_000;
  trueMs = Date.UTC(2026, 5, 1, 6);
  /** Added to the true time by the robot's clock; null for a clock that was never set. */
  clockOffsetMs: number | null = 0;
  robot: Robot;
  linked = false;
  /** Ids of the commands that made it move. */
  readonly moves: string[] = [];
  /** Everything published, each message parsed as the server would. */
  readonly published: Outgoing[] = [];
  /** Work that a firmware update requested: "download <offer id>", "restart". */
  readonly work: string[] = [];
  #seq = 0;
  #conditions: Conditions = healthyConditions;

  constructor(initial: Partial<RobotMemory> = {}) {
    this.robot = this.#powerOn(freshMemory(this.trueMs, initial));
  }

  /** A harness whose robot is connected. */
  static connected(initial: Partial<RobotMemory> = {}): RobotHarness {
    const harness = new RobotHarness(initial);
    harness.connect();
    return harness;
  }

  connect(): Outgoing[] {
    this.robot.raiseSession();
    this.linked = true;
    return this.#record(this.robot.connected(this.moment));
  }

  disconnect(): void {
    this.linked = false;
    this.robot.disconnected(this.moment);
  }

  /** The power fails and returns; only the stored memory survives. */
  losePower(): void {
    const text = JSON.stringify(this.robot.memory(this.moment.wallMs));
    this.linked = false;
    this.robot = this.#powerOn(robotMemorySchema.parse(JSON.parse(text)));
  }

  pass(ms: number): Outgoing[] {
    this.monotonicMs += ms;
    this.trueMs += ms;
    return this.#record(this.robot.tick(this.moment));
  }

  setConditions(conditions: Partial<Conditions>): Outgoing[] {
    this.#conditions = { ...this.#conditions, ...conditions };
    return this.#record(this.robot.setConditions(this.#conditions, this.moment));
  }

  deliver(command: CommandMessage, retained = false): Outgoing[] {
    return this.deliverText(JSON.stringify(command), retained);
  }

  deliverText(text: string, retained = false): Outgoing[] {
    return this.#record(this.robot.receive(Buffer.from(text), retained, this.moment));
  }

  /** A firmware offer as the server would make it now, with the test's changes. */
  offer(change: Partial<FirmwareOfferMessage> = {}): FirmwareOfferMessage {
    return {
      v: 1,
      id: nextId(),
      session: this.robot.session,
      issuedAt: new Date(this.trueMs).toISOString(),
      expiresAt: new Date(this.trueMs + 900_000).toISOString(),
      by: "a test",
      url: "http://127.0.0.1:1/a-file",
      size: 7,
      sha256: "0".repeat(64),
      version: "3.0.0",
      ...change,
    };
  }

  /** True once after an installation. */
  takeRestart(): boolean {
    if (this.work.at(-1) !== "restart") return false;
    this.work.push("restarted");
    return true;
  }

  deliverOffer(offer: FirmwareOfferMessage, retained = false): Outgoing[] {
    return this.#record(this.robot.receiveOffer(Buffer.from(JSON.stringify(offer)), retained, this.moment));
  }

  downloadProgress(offerId: string, percent: number): Outgoing[] {
    return this.#record(this.robot.downloadProgress(offerId, percent, this.moment));
  }

  downloadEnds(offerId: string, code: FirmwareCode | null = null): Outgoing[] {
    return this.#record(this.robot.downloadEnded(offerId, code, this.moment));
  }

  /** An order as the server would make it now, with the test's changes. */
  order<V extends Verb>(verb: V, change: Partial<CommandOf<V>> = {}): CommandOf<V> {
    this.#seq += 1;
    const common = {
      v: 1,
      id: nextId(),
      session: this.robot.session,
      seq: this.#seq,
      issuedAt: new Date(this.trueMs).toISOString(),
      expiresAt: new Date(this.trueMs + 5_000).toISOString(),
      by: "a test",
    };
    const params = { status: "start", direction: "REV", "main-speed": 70, "brush-speed": 30 };
    const own: Record<Verb, object> = {
      START: { runId: nextId(), maxDurationS: 3_600, params },
      SET: { params: { direction: "REV", "main-speed": this.#seq % 101 } },
      STOP: {},
      MAINTENANCE_ON: {},
      MAINTENANCE_OFF: {},
      STATUS: {},
      RECEIVED: { eventSeq: 0 },
    };
    return { ...common, verb, ...own[verb], ...change } as CommandOf<V>;
  }

  get moment(): { monotonicMs: number; wallMs: number } {
    const wallMs = this.clockOffsetMs === null ? this.monotonicMs : this.trueMs + this.clockOffsetMs;
    return { monotonicMs: this.monotonicMs, wallMs };
  }

  #powerOn(memory: RobotMemory): Robot {
    const onMove = (id: string): void => void this.moves.push(id);
    const conditions = this.#conditions;
    return new Robot({ memory, conditions, onMove, linkLossStopMs: LINK_LOSS_MS, installMs: INSTALL_MS }, this.moment);
  }

  #record(messages: Outgoing[]): Outgoing[] {
    for (const { leaf, message } of messages) schemas[leaf].parse(JSON.parse(JSON.stringify(message)));
    this.published.push(...messages);
    const work = this.robot.takeUpdateWork();
    if (work !== null) this.work.push(work.kind === "download" ? `download ${work.offer.id}` : "restart");
    return messages;
  }
}

const schemas = {
  connection: connectionMessageSchema,
  state: stateMessageSchema,
  ack: ackMessageSchema,
  event: eventMessageSchema,
  "firmware/state": firmwareStateMessageSchema,
};

export function acksIn(messages: readonly Outgoing[]): { id: string; status: string; code: string | null }[] {
  return messages.flatMap(({ leaf, message }) =>
    leaf === "ack" ? [{ id: message.id, status: message.status, code: message.code }] : [],
  );
}

export function statesIn(messages: readonly Outgoing[]): StateMessage[] {
  return messages.flatMap(({ leaf, message }) => (leaf === "state" ? [message] : []));
}

/** Reports about firmware in short: phase, then percent or code. */
export function updatesIn(messages: readonly Outgoing[]): string[] {
  return messages.flatMap(({ leaf, message }) =>
    leaf === "firmware/state" ? [`${message.phase} ${message.code ?? message.percent}`] : [],
  );
}

/** Events in short: what happened, without when. */
export function eventsIn(messages: readonly Outgoing[]): string[] {
  return messages.flatMap(({ leaf, message }) => {
    if (leaf !== "event") return [];
    if (message.kind === "RUN_ENDED") return [`RUN_ENDED ${message.reason}`];
    if (message.kind === "ALERT_RAISED") return [`ALERT_RAISED ${message.alert.code}`];
    return [message.kind === "ALERT_CLEARED" ? `ALERT_CLEARED ${message.code}` : message.kind];
  });
}

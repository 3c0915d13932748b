import type { DeviceMode } from "@suncrew/contract/robots/robot-mode.ts";
import {
  type AckMessage,
  type CommandMessage,
  commandMessageSchema,
  type DeviceAlert,
  type FirmwareCode,
  firmwareOfferMessageSchema,
  PROTOCOL_VERSION,
  type RunEndReason,
} from "@suncrew/contract/devices/messages.ts";
import { MAX_MESSAGE_BYTES } from "@suncrew/contract/devices/topics.ts";
import type { Motion } from "@suncrew/contract/robots/robots.ts";
import type { z } from "zod";
import { Drive, type Machine, machineAtSpeed } from "./machine.ts";
import { alertsOf, type Conditions, isBatteryLow, healthyConditions, statusTextOf } from "./conditions.ts";
import { alertChanges, EventLog, runBegan, runEnded, type EventContext } from "./event-log.ts";
import { FirmwareUpdates, type UpdateReport, type UpdateWork } from "./firmware-updates.ts";
import { isUnfenced, type Order, refusalOf } from "./order-checks.ts";
import { type Condition, counterBase, type RobotMemory } from "./memory.ts";
import { instantOf, type Moment } from "./moment.ts";
import { type Outgoing, readingOf, Reporter, shownBattery } from "./report.ts";

interface RobotOptions {
  readonly memory: RobotMemory;
  readonly conditions?: Conditions;
  readonly machine?: Machine;
  /** Protocol rule 4: stops after this long without its broker. Default 300 s. */
  readonly linkLossStopMs?: number;
  /** A state at least this often, in milliseconds. Default 25 s, which keeps within 30 s with a margin. */
  readonly reportIntervalMs?: number;
  /** How long an installation takes, in milliseconds. Default 2 s. */
  readonly installMs?: number;
  /** Called for every command that starts the robot moving, with the moment; for tests, not for the robot. */
  readonly onMove?: (commandId: string, now: Moment) => void;
}

/** Whether the memory has changed, and whether it must be stored before the messages that depend on it. */
type Unsaved = "nothing" | "soon" | "before-publishing";

type StartOrder = Extract<Order, { verb: "START" }>;

/**
 * The robot's side of the device protocol, without clock, timer or network: every call takes the moment and returns what
 * to publish. A robot is created when its power is turned on, from its stored memory, and is stopped then.
 */
export class Robot {
  readonly #memory: RobotMemory;
  readonly #drive: Drive;
  readonly #answers: Answers;
  readonly #events: EventLog;
  readonly #reporter: Reporter;
  readonly #updates: FirmwareUpdates;
  readonly #linkLossStopMs: number;
  readonly #onMove: (commandId: string, now: Moment) => void;
  #conditions: Conditions;
  #linked = false;
  /** Monotonic time at which the broker was lost. */
  #linkLostAtMs: number;
  /** Highest seq of a START accepted in the current session (rule 3). */
  #startSeq = -1;
  #nowMs: number;
  #out: Outgoing[] = [];
  #unsaved: Unsaved = "nothing";

  constructor(options: RobotOptions, now: Moment) {
    this.#memory = structuredClone(options.memory);
    this.#drive = new Drive(options.machine ?? machineAtSpeed(1), this.#memory.battery);
    this.#answers = new Answers(this.#memory.answers);
    const lastEventSeq = Math.max(this.#memory.eventSeq, counterBase(now.wallMs));
    this.#events = new EventLog(this.#memory.events, lastEventSeq);
    this.#reporter = new Reporter(options.reportIntervalMs ?? 25_000);
    this.#updates = new FirmwareUpdates(this.#memory.updates, options.installMs ?? 2_000);
    this.#linkLossStopMs = options.linkLossStopMs ?? 300_000;
    this.#onMove = options.onMove ?? (() => {});
    this.#conditions = options.conditions ?? healthyConditions;
    this.#nowMs = now.monotonicMs;
    this.#linkLostAtMs = now.monotonicMs;
    this.#reportPowerLoss(now);
    this.#reviewConditions(now);
  }

  /** Raises the session, as before every connect (rule 1). The memory must be stored before the connect uses it. */
  raiseSession(): number {
    this.#memory.session += 1;
    this.#startSeq = -1;
    this.#unsaved = "before-publishing";
    return this.#memory.session;
  }

  /** The broker has accepted the connection of the current session. */
  connected(now: Moment): Outgoing[] {
    this.#advance(now);
    this.#linked = true;
    this.#reporter.beginSession();
    this.#events.repeatAll();
    this.#updates.beginSession();
    const message = { v: PROTOCOL_VERSION, state: "ONLINE", session: this.session, ts: instantOf(now.wallMs) } as const;
    this.#out.push({ leaf: "connection", message });
    return this.#publish(now);
  }

  disconnected(now: Moment): void {
    this.#advance(now);
    if (this.#linked) this.#linkLostAtMs = now.monotonicMs;
    this.#linked = false;
    this.#out = [];
  }

  /** A message on the robot's `command` topic. Retained, malformed and oversized ones change nothing. */
  receive(payload: Uint8Array, retained: boolean, now: Moment): Outgoing[] {
    this.#advance(now);
    const command = retained ? null : parseMessage(payload, commandMessageSchema);
    if (command !== null) this.#handle(command, now);
    return this.#publish(now);
  }

  /** A message on the robot's `firmware` topic; as with `receive`, retained, malformed and oversized ones change nothing. */
  receiveOffer(payload: Uint8Array, retained: boolean, now: Moment): Outgoing[] {
    this.#advance(now);
    const offer = retained ? null : parseMessage(payload, firmwareOfferMessageSchema);
    if (offer === null) return this.#publish(now);
    const { session, motion, battery } = this;
    const { maintenance } = this.#memory;
    const robot = { session, maintenance, moving: motion === "MOVING", battery: shownBattery(battery) };
    this.#updates.receive(offer, { ...robot, conditions: this.#conditions }, now.wallMs);
    this.#save("soon");
    return this.#publish(now);
  }

  /** The download of an offer has reached this percentage. */
  downloadProgress(offerId: string, percent: number, now: Moment): Outgoing[] {
    this.#advance(now);
    this.#updates.progress(offerId, percent);
    return this.#publish(now);
  }

  /** The download of an offer is complete and correct (null), or has failed. */
  downloadEnded(offerId: string, code: FirmwareCode | null, now: Moment): Outgoing[] {
    this.#advance(now);
    this.#updates.downloadEnded(offerId, code, this.#conditions.firmware?.what === "silent", this.#nowMs);
    this.#save("soon");
    return this.#publish(now);
  }

  /** What the firmware update needs done by the caller; returned once. */
  takeUpdateWork(): UpdateWork | null {
    return this.#updates.takeWork();
  }

  /** Lets time pass. */
  tick(now: Moment): Outgoing[] {
    this.#advance(now);
    return this.#publish(now);
  }

  /** Changes what is wrong with the robot; a jam stops it. */
  setConditions(conditions: Conditions, now: Moment): Outgoing[] {
    this.#advance(now);
    this.#conditions = conditions;
    if (conditions.jammed) this.#stop("FAULT", now);
    this.#reviewConditions(now);
    return this.#publish(now);
  }

  /** Sets what a person at the robot could: battery, mode, settings, firmware. */
  setByHand(change: Condition, now: Moment): Outgoing[] {
    this.#advance(now);
    if (change.maintenance === true) this.#stop("MAINTENANCE", now);
    Object.assign(this.#memory, change);
    if (change.battery !== undefined) this.#drive.body.battery = change.battery;
    this.#unsaved = "before-publishing";
    this.#reviewConditions(now);
    return this.#publish(now);
  }

  /** What survives a power loss at this moment. */
  memory(wallMs: number): RobotMemory {
    return structuredClone({
      ...this.#memory,
      battery: this.#drive.body.battery,
      events: [...this.#events.waiting],
      eventSeq: this.#events.lastSeq,
      answers: [...this.#answers.persisted],
      updates: [...this.#updates.persisted],
      run: this.runId === null ? null : { runId: this.runId, aliveAtMs: wallMs },
    });
  }

  /** How urgently the memory must be stored; reading it resets it. */
  takeUnsaved(): Unsaved {
    const unsaved = this.#unsaved;
    this.#unsaved = "nothing";
    return unsaved;
  }

  get session(): number {
    return this.#memory.session;
  }
  get lastSeq(): number {
    return this.#memory.lastSeq;
  }
  get motion(): Motion {
    return this.runId === null ? "STOPPED" : "MOVING";
  }
  get mode(): DeviceMode {
    return this.#memory.maintenance ? "MAINTENANCE" : this.#memory.mode;
  }
  get runId(): string | null {
    return this.#drive.runId;
  }
  /** Percent, exact. */
  get battery(): number {
    return this.#drive.body.battery;
  }
  get charging(): boolean {
    return this.runId === null && this.#drive.body.canCharge;
  }
  get applied(): RobotMemory["applied"] {
    return this.#memory.applied;
  }
  get firmware(): string {
    return this.#memory.firmware;
  }
  /** The current or last firmware offer and its progress; null before the first. */
  get update(): UpdateReport | null {
    return this.#updates.last;
  }
  get alerts(): DeviceAlert[] {
    return this.#memory.alerts;
  }
  get status(): string {
    return statusTextOf(this.#conditions, this.#memory.alerts, this.runId !== null);
  }
  get lastCommandId(): string | null {
    return this.#memory.lastCommandId;
  }
  get waitingEvents(): number {
    return this.#events.waiting.length;
  }

  #handle(command: CommandMessage, now: Moment): void {
    if (command.verb === "RECEIVED") {
      if (this.#events.received(command.eventSeq)) this.#save("soon");
      return;
    }
    this.#memory.lastCommandId = command.id;
    if (command.verb === "STATUS") {
      this.#reporter.request();
      return;
    }
    const earlier = this.#answers.find(command.id);
    const answer = earlier ?? this.#answer(command, now);
    this.#out.push({ leaf: "ack", message: { ...answer, ts: instantOf(now.wallMs) } });
  }

  #answer(command: Order, now: Moment): Answer {
    const checked = {
      session: this.session,
      lastSeq: this.lastSeq,
      startSeq: this.#startSeq,
      maintenance: this.#memory.maintenance,
      moving: this.motion === "MOVING",
      updating: this.#updates.isBusy,
      battery: this.battery,
      conditions: this.#conditions,
    };
    const code = refusalOf(command, checked, now.wallMs);
    const unfenced = isUnfenced(command);
    if (code !== null) {
      const answer = { id: command.id, status: "REJECTED", code } as const;
      // A refused unfenced order is checked again when it is repeated: it never took effect.
      if (!unfenced) this.#answers.remember(answer, false);
      return answer;
    }
    this.#memory.lastSeq = Math.max(this.#memory.lastSeq, command.seq);
    this.#act(command, now);
    const status = command.verb === "START" ? "ACCEPTED" : "DONE";
    const answer = { id: command.id, status, code: null } as const;
    this.#answers.remember(answer, unfenced);
    this.#save(command.verb.startsWith("MAINTENANCE") ? "before-publishing" : "soon");
    return answer;
  }

  #act(command: Order, now: Moment): void {
    switch (command.verb) {
      case "START":
        return this.#start(command, now);
      case "STOP":
        return this.#stop("STOP", now);
      case "MAINTENANCE_ON":
        this.#stop("MAINTENANCE", now);
        this.#memory.maintenance = true;
        return;
      case "MAINTENANCE_OFF":
        this.#memory.maintenance = false;
        return;
      case "SET":
        return this.#apply(command.params);
    }
  }

  #start(command: StartOrder, now: Moment): void {
    this.#apply(command.params);
    this.#startSeq = command.seq;
    this.#drive.begin({ runId: command.runId, endsAtMs: this.#nowMs + command.maxDurationS * 1000 });
    this.#onMove(command.id, now);
    this.#events.add(runBegan(command.runId, this.#eventContext(now)));
  }

  #apply(params: Extract<Order, { verb: "SET" }>["params"]): void {
    const { applied } = this.#memory;
    this.#memory.applied = {
      direction: params.direction ?? applied.direction,
      mainSpeed: params["main-speed"] ?? applied.mainSpeed,
      brushSpeed: params["brush-speed"] ?? applied.brushSpeed,
    };
  }

  #stop(reason: RunEndReason, now: Moment): void {
    const runId = this.#drive.halt();
    if (runId !== null) this.#reportRunEnded(runId, reason, now.wallMs, now);
  }

  #reportRunEnded(runId: string, reason: RunEndReason, endedAtMs: number, now: Moment): void {
    this.#events.add(runEnded(runId, reason, endedAtMs, this.#eventContext(now)));
    this.#save("soon");
  }

  /** A run that is still in the memory was ended by the power loss. */
  #reportPowerLoss(now: Moment): void {
    const { run } = this.#memory;
    if (run === null) return;
    this.#memory.run = null;
    this.#reportRunEnded(run.runId, "FAULT", run.aliveAtMs, now);
  }

  #advance(now: Moment): void {
    const fromMs = this.#nowMs;
    this.#nowMs = Math.max(fromMs, now.monotonicMs);
    const linkEndsAtMs = this.#linked ? null : this.#linkLostAtMs + this.#linkLossStopMs;
    const end = this.#drive.advance(fromMs, this.#nowMs, this.#memory.applied, linkEndsAtMs);
    if (end !== null) this.#reportRunEnded(end.runId, end.reason, now.wallMs - end.agoMs, now);
    this.#install();
    this.#reviewConditions(now);
  }

  #install(): void {
    const wasBusy = this.#updates.isBusy;
    const installed = this.#updates.advance(this.#nowMs, this.#conditions);
    if (installed !== null && this.#conditions.firmware?.what !== "roll-back") this.#memory.firmware = installed;
    if (wasBusy && !this.#updates.isBusy) this.#save("before-publishing");
  }

  /** Raises and clears alerts to match the conditions and the battery. */
  #reviewConditions(now: Moment): void {
    const { body } = this.#drive;
    body.failCharger(this.#conditions.failedChargerPercent);
    const before = this.#memory.alerts;
    const wasLow = before.some((alert) => alert.code === "LOW_BATTERY");
    const after = alertsOf(this.#conditions, isBatteryLow(body.battery, wasLow));
    if (before.length === 0 && after.length === 0) return;
    const changes = alertChanges(before, after, this.#eventContext(now));
    for (const change of changes) this.#events.add(change);
    this.#memory.alerts = after;
    if (changes.length > 0) this.#save("soon");
  }

  #publish(now: Moment): Outgoing[] {
    if (!this.#linked) {
      this.#out = [];
      return [];
    }
    const out = this.#out;
    this.#out = [];
    const state = this.#reporter.due(readingOf(this), this.session, now);
    if (state !== null) out.push(state);
    for (const message of this.#events.due(now.monotonicMs)) out.push({ leaf: "event", message });
    return [...out, ...this.#updates.due(this.session, now)];
  }

  #eventContext({ wallMs }: Moment): EventContext {
    return { session: this.session, battery: shownBattery(this.battery), wallMs };
  }

  #save(urgency: "soon" | "before-publishing"): void {
    if (this.#unsaved !== "before-publishing") this.#unsaved = urgency;
  }
}

/** The message in a payload; null if it is oversized or malformed and must be ignored (rule 10). */
function parseMessage<T>(payload: Uint8Array, schema: z.ZodType<T>): T | null {
  if (payload.byteLength > MAX_MESSAGE_BYTES) return null;
  try {
    return schema.safeParse(JSON.parse(new TextDecoder().decode(payload))).data ?? null;
  } catch {
    return null;
  }
}

type Answer = Omit<AckMessage, "ts">;

const REMEMBERED = 500;
const PERSISTED = 40;

/** Protocol rule 5: answers by command id, so that a repeated command gets the same answer and acts once. */
class Answers {
  readonly #byId = new Map<string, Answer>();
  #persisted: Answer[];

  constructor(persisted: readonly Answer[]) {
    this.#persisted = [...persisted];
    for (const answer of persisted) this.#byId.set(answer.id, answer);
  }

  find(id: string): Answer | undefined {
    return this.#byId.get(id);
  }

  /** `persist` it if neither session nor seq would fence a repetition after a power loss. */
  remember(answer: Answer, persist: boolean): void {
    this.#byId.set(answer.id, answer);
    if (persist) this.#persisted = [...this.#persisted, answer].slice(-PERSISTED);
    if (this.#byId.size <= REMEMBERED) return;
    const oldest = this.#byId.keys().next();
    if (!oldest.done) this.#byId.delete(oldest.value);
  }

  get persisted(): readonly Answer[] {
    return this.#persisted;
  }
}

import type {
  AckMessage,
  CommandMessage,
  DeviceAlert,
  FirmwareCode,
  RunEndReason,
} from "@suncrew/contract/devices/messages.ts";
import { PROTOCOL_VERSION } from "@suncrew/contract/devices/messages.ts";
import type { Motion } from "@suncrew/contract/robots/robots.ts";
import { Answers } from "./answers.ts";
import { machineAtSpeed } from "./body.ts";
import { alertsOf, type Conditions, isBatteryLow, soundCondition, statusTextOf } from "./conditions.ts";
import { Drive } from "./drive.ts";
import { EventLog } from "./event-log.ts";
import { FirmwareUpdates, type UpdateReport, type UpdateWork } from "./firmware-updates.ts";
import { isUnfenced, type Order, refusalOf } from "./judge.ts";
import { counterBase, type RobotMemory } from "./memory.ts";
import { instantOf, type Moment } from "./moment.ts";
import type { Outgoing } from "./outgoing.ts";
import { parseCommand, parseOffer } from "./parse-command.ts";
import type { RobotOptions, Unsaved } from "./robot-options.ts";
import { readingOf, Reporter, shownBattery } from "./report.ts";
import { alertChanges, runBegan, runEnded, type Telling } from "./tell.ts";

type StartOrder = Extract<Order, { verb: "START" }>;

/**
 * The robot's side of the device protocol, without clock, timer or network: every call brings the moment and
 * answers what to publish. It is created when power comes on, from what the memory kept, and stands still then.
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
  /** Monotonic time since which there is no broker. */
  #linkLostAtMs: number;
  /** Highest seq of a START taken in the current session (rule 3). */
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
    this.#conditions = options.conditions ?? soundCondition;
    this.#nowMs = now.monotonicMs;
    this.#linkLostAtMs = now.monotonicMs;
    this.#tellOfPowerLoss(now);
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
    const command = retained ? null : parseCommand(payload);
    if (command !== null) this.#take(command, now);
    return this.#publish(now);
  }

  /** A message on the robot's `firmware` topic; as with `receive`, what is retained, malformed or oversized is ignored. */
  receiveOffer(payload: Uint8Array, retained: boolean, now: Moment): Outgoing[] {
    this.#advance(now);
    const offer = retained ? null : parseOffer(payload);
    if (offer === null) return this.#publish(now);
    const { session, motion, battery } = this;
    const { maintenance } = this.#memory;
    const robot = { session, maintenance, moving: motion === "MOVING", battery: shownBattery(battery) };
    this.#updates.take(offer, { ...robot, conditions: this.#conditions }, now.wallMs);
    this.#save("soon");
    return this.#publish(now);
  }

  /** The download of an offer has come to so many percent. */
  downloadProgress(offerId: string, percent: number, now: Moment): Outgoing[] {
    this.#advance(now);
    this.#updates.progress(offerId, percent);
    return this.#publish(now);
  }

  /** The download of an offer is whole and right (null), or has failed. */
  downloadEnded(offerId: string, code: FirmwareCode | null, now: Moment): Outgoing[] {
    this.#advance(now);
    this.#updates.downloadEnded(offerId, code, this.#conditions.firmware?.what === "silent", this.#nowMs);
    this.#save("soon");
    return this.#publish(now);
  }

  /** What firmware wants done by whoever runs the robot, once. */
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
  setByHand(
    change: Partial<Pick<RobotMemory, "battery" | "mode" | "maintenance" | "applied" | "firmware">>,
    now: Moment,
  ): Outgoing[] {
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
      answers: [...this.#answers.kept],
      updates: [...this.#updates.kept],
      run: this.runId === null ? null : { runId: this.runId, aliveAtMs: wallMs },
    });
  }

  /** How urgently the memory must be stored since it was last asked; asking resets it. */
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
  get mode(): "AUTO" | "MANUAL" | "MAINTENANCE" {
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
  /** The offer of firmware that is under way or was the last, and how far it came; null before the first. */
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

  #take(command: CommandMessage, now: Moment): void {
    if (command.verb === "RECEIVED") {
      if (this.#events.received(command.eventSeq)) this.#save("soon");
      return;
    }
    this.#memory.lastCommandId = command.id;
    if (command.verb === "STATUS") {
      this.#reporter.ask();
      return;
    }
    const earlier = this.#answers.find(command.id);
    const answer = earlier ?? this.#answer(command, now);
    this.#out.push({ leaf: "ack", message: { ...answer, ts: instantOf(now.wallMs) } });
  }

  #answer(command: Order, now: Moment): Omit<AckMessage, "ts"> {
    const judged = {
      session: this.session,
      lastSeq: this.lastSeq,
      startSeq: this.#startSeq,
      maintenance: this.#memory.maintenance,
      moving: this.motion === "MOVING",
      updating: this.#updates.isBusy,
      battery: this.battery,
      conditions: this.#conditions,
    };
    const code = refusalOf(command, judged, now.wallMs);
    const unfenced = isUnfenced(command);
    if (code !== null) {
      const answer = { id: command.id, status: "REJECTED", code } as const;
      // An unfenced order that was not taken is judged anew when it comes again: it never acted.
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
    this.#events.add(runBegan(command.runId, this.#telling(now)));
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
    if (runId !== null) this.#tellRunEnded(runId, reason, now.wallMs, now);
  }

  #tellRunEnded(runId: string, reason: RunEndReason, endedAtMs: number, now: Moment): void {
    this.#events.add(runEnded(runId, reason, endedAtMs, this.#telling(now)));
    this.#save("soon");
  }

  /** A run that the memory still names was ended by the power that went. */
  #tellOfPowerLoss(now: Moment): void {
    const { run } = this.#memory;
    if (run === null) return;
    this.#memory.run = null;
    this.#tellRunEnded(run.runId, "FAULT", run.aliveAtMs, now);
  }

  #advance(now: Moment): void {
    const fromMs = this.#nowMs;
    this.#nowMs = Math.max(fromMs, now.monotonicMs);
    const linkEndsAtMs = this.#linked ? null : this.#linkLostAtMs + this.#linkLossStopMs;
    const end = this.#drive.advance(fromMs, this.#nowMs, this.#memory.applied, linkEndsAtMs);
    if (end !== null) this.#tellRunEnded(end.runId, end.reason, now.wallMs - end.agoMs, now);
    this.#install();
    this.#reviewConditions(now);
  }

  #install(): void {
    const wasBusy = this.#updates.isBusy;
    const installed = this.#updates.advance(this.#nowMs, this.#conditions);
    if (installed !== null && this.#conditions.firmware?.what !== "roll-back") this.#memory.firmware = installed;
    if (wasBusy && !this.#updates.isBusy) this.#save("before-publishing");
  }

  /** Raises and clears alerts as the conditions and the battery are now. */
  #reviewConditions(now: Moment): void {
    const { body } = this.#drive;
    body.hold(this.#conditions.batteryHeldAt);
    const before = this.#memory.alerts;
    const wasLow = before.some((alert) => alert.code === "LOW_BATTERY");
    const after = alertsOf(this.#conditions, isBatteryLow(body.battery, wasLow));
    if (before.length === 0 && after.length === 0) return;
    const changes = alertChanges(before, after, this.#telling(now));
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

  #telling({ wallMs }: Moment): Telling {
    return { session: this.session, battery: shownBattery(this.battery), wallMs };
  }

  #save(urgency: "soon" | "before-publishing"): void {
    if (this.#unsaved !== "before-publishing") this.#unsaved = urgency;
  }
}

import type {
  AckMessage,
  CommandMessage,
  DeviceAlert,
  RejectCode,
  RunEndReason,
} from "@suncrew/contract/devices/messages.ts";
import { PROTOCOL_VERSION } from "@suncrew/contract/devices/messages.ts";
import type { Motion } from "@suncrew/contract/robots/robots.ts";
import { Answers } from "./answers.ts";
import { Body, type Machine, machineAtSpeed } from "./body.ts";
import { alertsOf, type Conditions, isBatteryLow, soundCondition, START_BATTERY, statusTextOf } from "./conditions.ts";
import { EventLog } from "./event-log.ts";
import { fenceOf } from "./fences.ts";
import type { RobotMemory } from "./memory.ts";
import { instantOf, type Moment } from "./moment.ts";
import type { Outgoing } from "./outgoing.ts";
import { parseCommand } from "./parse-command.ts";
import { Reporter } from "./report.ts";

export interface RobotOptions {
  readonly memory: RobotMemory;
  readonly conditions?: Conditions;
  readonly machine?: Machine;
  /** Protocol rule 4: stops after this long without its broker. Default 300 s. */
  readonly linkLossStopMs?: number;
  /** A state at least this often, in milliseconds. Default 25 s, so that 30 s holds with room. */
  readonly reportIntervalMs?: number;
  /** Told the id of every command that set the robot moving; a test's truth, not the robot's. */
  readonly onMove?: (commandId: string) => void;
}

export type Unsaved = "nothing" | "soon" | "before-publishing";
/** A command that is numbered, so one that acts. */
type Order = Exclude<CommandMessage, { verb: "STATUS" | "RECEIVED" }>;
type StartOrder = Extract<Order, { verb: "START" }>;

interface Run {
  readonly runId: string;
  /** Monotonic time at which the robot stops by itself, whatever it hears. */
  readonly endsAtMs: number;
}

/**
 * The robot's side of the device protocol, without clock, timer or network: every call brings the moment and
 * answers what to publish. It is created when power comes on, from what the memory kept, and stands still then.
 */
export class Robot {
  readonly #memory: RobotMemory;
  readonly #body: Body;
  readonly #answers: Answers;
  readonly #events: EventLog;
  readonly #reporter: Reporter;
  readonly #linkLossStopMs: number;
  readonly #onMove: (commandId: string) => void;
  #conditions: Conditions;
  #run: Run | null = null;
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
    this.#body = new Body(options.machine ?? machineAtSpeed(1), this.#memory.battery);
    this.#answers = new Answers(this.#memory.answers);
    this.#events = new EventLog(this.#memory.events, this.#memory.eventSeq);
    this.#reporter = new Reporter(options.reportIntervalMs ?? 25_000);
    this.#linkLossStopMs = options.linkLossStopMs ?? 300_000;
    this.#onMove = options.onMove ?? (() => {});
    this.#conditions = options.conditions ?? soundCondition;
    this.#body.heldAt = this.#conditions.batteryHeldAt;
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

  /** Lets time pass. */
  tick(now: Moment): Outgoing[] {
    this.#advance(now);
    return this.#publish(now);
  }

  /** Changes what is wrong with the robot; a jam stops it. */
  setConditions(conditions: Conditions, now: Moment): Outgoing[] {
    this.#advance(now);
    this.#conditions = conditions;
    this.#body.heldAt = conditions.batteryHeldAt;
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
    if (change.battery !== undefined) this.#body.battery = change.battery;
    this.#unsaved = "before-publishing";
    this.#reviewConditions(now);
    return this.#publish(now);
  }

  /** What survives a power loss at this moment. */
  memory(wallMs: number): RobotMemory {
    return structuredClone({
      ...this.#memory,
      battery: this.#body.battery,
      events: [...this.#events.waiting],
      eventSeq: this.#events.lastSeq,
      answers: [...this.#answers.kept],
      run: this.#run === null ? null : { runId: this.#run.runId, aliveAtMs: wallMs },
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
    return this.#run === null ? "STOPPED" : "MOVING";
  }
  get mode(): "AUTO" | "MANUAL" | "MAINTENANCE" {
    return this.#memory.maintenance ? "MAINTENANCE" : this.#memory.mode;
  }
  get runId(): string | null {
    return this.#run?.runId ?? null;
  }
  /** Percent, exact. */
  get battery(): number {
    return this.#body.battery;
  }
  get charging(): boolean {
    return this.#run === null && this.#body.heldAt === null && this.#body.battery < 100;
  }
  get applied(): RobotMemory["applied"] {
    return this.#memory.applied;
  }
  get firmware(): string {
    return this.#memory.firmware;
  }
  get alerts(): readonly DeviceAlert[] {
    return this.#memory.alerts;
  }
  get status(): string {
    return statusTextOf(this.#conditions, this.#memory.alerts, this.#run !== null);
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
    const code = this.#refusalOf(command, now);
    const unfenced = command.verb === "STOP" || command.verb === "MAINTENANCE_ON";
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

  #refusalOf(command: Order, now: Moment): RejectCode | null {
    const refused = this.#conditions.refuses?.verbs.includes(command.verb) ? this.#conditions.refuses.code : null;
    if (command.verb === "MAINTENANCE_ON") return refused;
    if (command.verb === "STOP") {
      // Rule 3: older than a START that was taken in the same session.
      const overtaken = command.session === this.session && command.seq < this.#startSeq;
      return overtaken ? "OLD_SEQ" : refused;
    }
    const old = fenceOf(command, this.#memory, now.wallMs) ?? refused;
    if (old !== null || command.verb === "MAINTENANCE_OFF") return old;
    if (this.#memory.maintenance) return "MAINTENANCE";
    return command.verb === "START" ? this.#startRefusal() : null;
  }

  #startRefusal(): RejectCode | null {
    if (this.#run !== null) return "BUSY";
    if (this.#conditions.jammed) return "FAULT";
    return this.#body.battery < START_BATTERY ? "BATTERY_LOW" : null;
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
    this.#run = { runId: command.runId, endsAtMs: now.monotonicMs + command.maxDurationS * 1000 };
    this.#body.beginPass();
    this.#onMove(command.id);
    const at = instantOf(now.wallMs);
    this.#events.add({
      kind: "RUN_BEGAN",
      runId: command.runId,
      at,
      ts: at,
      session: this.session,
      battery: this.#shownBattery(),
    });
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
    if (this.#run === null) return;
    const { runId } = this.#run;
    this.#run = null;
    this.#tellRunEnded(runId, reason, now.wallMs, now);
  }

  #tellRunEnded(runId: string, reason: RunEndReason, endedAtMs: number, now: Moment): void {
    this.#events.add({
      kind: "RUN_ENDED",
      runId,
      reason,
      at: instantOf(endedAtMs),
      ts: instantOf(now.wallMs),
      session: this.session,
      battery: this.#shownBattery(),
    });
    this.#save("soon");
  }

  /** A run that the memory still names was ended by the power that went. */
  #tellOfPowerLoss(now: Moment): void {
    const { run } = this.#memory;
    if (run === null) return;
    this.#memory.run = null;
    this.#tellRunEnded(run.runId, "FAULT", run.aliveAtMs, now);
  }

  /** Protocol rule 4: ends a run at the earliest moment that ends it, also where the step was long. */
  #advance(now: Moment): void {
    const elapsedMs = Math.max(0, now.monotonicMs - this.#nowMs);
    const fromMs = this.#nowMs;
    this.#nowMs = fromMs + elapsedMs;
    if (this.#run === null) {
      this.#body.rest(elapsedMs);
    } else {
      const end = this.#endOf(this.#run, fromMs);
      const lastsMs = Math.min(elapsedMs, Math.max(0, end.atMs - fromMs));
      this.#body.clean(lastsMs, this.#memory.applied);
      if (end.atMs <= this.#nowMs) {
        const restMs = elapsedMs - lastsMs;
        this.#stop(end.reason, { monotonicMs: this.#nowMs - restMs, wallMs: now.wallMs - restMs });
        this.#body.rest(restMs);
      }
    }
    this.#reviewConditions(now);
  }

  #endOf(run: Run, fromMs: number): { atMs: number; reason: RunEndReason } {
    const { applied } = this.#memory;
    const ends: { atMs: number; reason: RunEndReason }[] = [
      { atMs: run.endsAtMs, reason: "MAX_DURATION" },
      { atMs: fromMs + this.#body.untilDoneMs(applied), reason: "FINISHED" },
      { atMs: fromMs + this.#body.untilEmptyMs(applied), reason: "BATTERY" },
    ];
    if (!this.#linked) ends.push({ atMs: this.#linkLostAtMs + this.#linkLossStopMs, reason: "LINK_LOST" });
    return ends.reduce((first, end) => (end.atMs < first.atMs ? end : first));
  }

  /** Raises and clears alerts as the conditions and the battery are now. */
  #reviewConditions(now: Moment): void {
    const { batteryHeldAt } = this.#conditions;
    if (batteryHeldAt !== null) this.#body.battery = Math.min(this.#body.battery, batteryHeldAt);
    const before = this.#memory.alerts;
    const wasLow = before.some((alert) => alert.code === "LOW_BATTERY");
    const after = alertsOf(this.#conditions, isBatteryLow(this.#body.battery, wasLow));
    if (before.length === 0 && after.length === 0) return;
    const at = instantOf(now.wallMs);
    const envelope = { at, ts: at, session: this.session };
    const cleared = before.filter(({ code }) => !after.some((alert) => alert.code === code));
    const raised = after.filter(({ code }) => !before.some((alert) => alert.code === code));
    for (const { code } of cleared) this.#events.add({ kind: "ALERT_CLEARED", code, ...envelope });
    for (const alert of raised) this.#events.add({ kind: "ALERT_RAISED", alert, ...envelope });
    this.#memory.alerts = after;
    if (cleared.length + raised.length > 0) this.#save("soon");
  }

  #publish(now: Moment): Outgoing[] {
    if (!this.#linked) {
      this.#out = [];
      return [];
    }
    const out = this.#out;
    this.#out = [];
    const state = this.#reporter.due(
      {
        status: this.status,
        motion: this.motion,
        mode: this.mode,
        battery: this.#shownBattery(),
        charging: this.charging,
        applied: this.#memory.applied,
        runId: this.runId,
        lastSeq: this.lastSeq,
        lastCommandId: this.#memory.lastCommandId,
        firmware: this.#memory.firmware,
        alerts: this.#memory.alerts,
      },
      this.session,
      now.monotonicMs,
      now.wallMs,
    );
    if (state !== null) out.push(state);
    for (const message of this.#events.due(now.monotonicMs)) out.push({ leaf: "event", message });
    return out;
  }

  #shownBattery(): number {
    return Math.round(this.#body.battery);
  }

  #save(urgency: "soon" | "before-publishing"): void {
    if (this.#unsaved !== "before-publishing") this.#unsaved = urgency;
  }
}

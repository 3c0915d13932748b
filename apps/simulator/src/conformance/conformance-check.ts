import { randomUUID } from "node:crypto";
import type { AckMessage, RejectCode, StateMessage } from "@suncrew/contract/devices/messages.ts";
import type { RobotClient, Order, Overrides } from "./robot-client.ts";

/** How long to wait for what, in milliseconds. */
export interface Timeouts {
  /** An ack, or a state in reply. */
  readonly answerMs: number;
  /** An unsolicited state. */
  readonly reportMs: number;
  /** A repeated event. */
  readonly repeatMs: number;
  /** A person at the robot. */
  readonly personMs: number;
  /** The duration of a run that ends by itself, and the maximum of one that is stopped, in seconds. */
  readonly runS: number;
  readonly stoppedRunS: number;
}
export const defaultTimeouts: Timeouts = {
  answerMs: 5_000,
  reportMs: 30_000,
  repeatMs: 35_000,
  personMs: 300_000,
  runS: 3,
  stoppedRunS: 20,
};

export interface CheckOptions {
  readonly timeouts: Timeouts;
  /** A START may be sent. */
  readonly mayMove: boolean;
  /** Asks a person to turn the robot's power off and on; null if nobody is there. */
  readonly promptPerson: ((request: string) => void) | null;
  readonly say: (line: string) => void;
}

export interface Finding {
  readonly rule: number;
  readonly requirement: string;
  readonly result: "holds" | "does not hold" | "not tried";
  /** What was observed instead, or why it was not tried. */
  readonly detail: string;
}

type StartOrder = Extract<Order, { verb: "START" }>;

const MIN_BATTERY = 20;
export const CLOCK_LIMIT_MS = 30_000;
const DAY_S = 86_400;
/** Session and event numbers start at Unix seconds, so none is lower than this (rule 14). */
export const FIRST_SECOND = Date.UTC(2024, 0, 1) / 1_000;

/** Checks one robot against the rules of the device protocol, one after the other. Always ends by sending a STOP. */
export class ConformanceCheck {
  readonly findings: Finding[] = [];
  readonly #robot: RobotClient;
  readonly #options: CheckOptions;
  readonly #answerMs: number;

  constructor(robot: RobotClient, options: CheckOptions) {
    this.#robot = robot;
    this.#options = options;
    this.#answerMs = options.timeouts.answerMs;
  }

  /** Checks everything that may be checked. True if all of it holds. */
  async run(): Promise<boolean> {
    try {
      const first = await this.#presence();
      if (first !== null) {
        await this.#badMessages();
        await this.#oldOrders();
        await this.#stops();
        await this.#maintenance(first);
        await this.#moves();
        await this.#person();
        await this.#reports();
      }
      this.#expect(10, "every message of the robot can be read", this.#robot.unreadable.length === 0, () =>
        [...new Set(this.#robot.unreadable)].slice(0, 3).join("; "),
      );
    } finally {
      await this.stopRobot();
    }
    this.#skip(2, "when a START is sent", "the server's side");
    this.#skip(4, "it stops 300 s after losing its broker", "it would move for five minutes");
    this.#skip(9, "it reaches its own topics only", "needs the robot's own secret; depends on the broker");
    this.#skip(11, "one server processes what robots send", "the server's side");
    this.#skip(13, "new firmware", "offer it in Suncrew, to this robot only");
    return this.findings.every(({ result }) => result !== "does not hold");
  }

  /** Always called last. */
  async stopRobot(): Promise<void> {
    const stop = this.#robot.command("STOP", {});
    const ack = await this.#robot.order(stop, this.#answerMs).catch(() => null);
    if (ack?.status !== "DONE") this.#options.say(`The last STOP got ${describeAck(ack)}: check on the robot.`);
  }

  /** Stops the robot at once, whatever is in progress: from now on nothing but a STOP is sent. */
  async interrupt(): Promise<void> {
    this.#robot.onlyStop();
    await this.stopRobot();
    // Deletes what was retained for the power cut; the robot ignores the empty message.
    await this.#robot.sendText("", true).catch(() => {});
  }

  #record(finding: Finding): void {
    this.findings.push(finding);
    const { rule, requirement, result, detail } = finding;
    const word = result === "does not hold" ? "DOES NOT HOLD" : result;
    this.#options.say(
      `${word.padEnd(13)}  rule ${String(rule).padEnd(2)}  ${requirement}${detail === "" ? "" : ` (${detail})`}`,
    );
  }

  #expect(rule: number, requirement: string, holds: boolean, observed: () => string): boolean {
    this.#record({ rule, requirement, result: holds ? "holds" : "does not hold", detail: holds ? "" : observed() });
    return holds;
  }

  #skip(rule: number, requirement: string, detail: string): void {
    this.#record({ rule, requirement, result: "not tried", detail });
  }

  #start(maxDurationS: number, overrides: Overrides<StartOrder> = {}): StartOrder {
    const { direction = "FWD", mainSpeed = 50, brushSpeed = 50 } = this.#robot.state?.applied ?? {};
    const params = { status: "start", direction, "main-speed": mainSpeed, "brush-speed": brushSpeed } as const;
    return this.#robot.command("START", { runId: randomUUID(), maxDurationS, params, ...overrides });
  }

  /** An order that changes nothing if it is accepted. */
  #idleSet(overrides: Pick<Overrides<Order>, "session" | "seq" | "expiresAt"> = {}): Order {
    const { direction = "FWD" } = this.#robot.state?.applied ?? {};
    return this.#robot.command("SET", { params: { direction }, ...overrides });
  }

  #send(order: Order): Promise<AckMessage | null> {
    return this.#robot.order(order, this.#answerMs);
  }

  async #presence(): Promise<StateMessage | null> {
    const retained = await this.#robot.next("connection", () => true, this.#answerMs, 0);
    const isOnline = retained?.message.state === "ONLINE";
    this.#expect(7, "its retained connection says ONLINE", isOnline, () => retained?.message.state ?? "none");
    const first = await this.#robot.requestState(this.#answerMs);
    if (!this.#expect(7, "STATUS is answered by a state that names it", first !== null, () => "no such state"))
      return null;
    const state = first as StateMessage;
    const again = await this.#robot.requestState(this.#answerMs);
    this.#expect(
      7,
      "seq of state grows",
      again !== null && again.seq > state.seq,
      () => `${state.seq}, then ${again?.seq}`,
    );
    const { session } = state;
    this.#expect(
      7,
      "connection and state name the same session",
      session === retained?.message.session,
      () => `${retained?.message.session} and ${session}`,
    );
    const nowMs = this.#robot.clock.now().getTime();
    this.#expect(14, "session starts at Unix seconds", isPlausible(session, nowMs), () => `session ${session}`);
    const skewMs = Date.parse((again ?? state).ts) - nowMs;
    const isRight = Math.abs(skewMs) <= CLOCK_LIMIT_MS;
    this.#expect(12, "its clock is right to 30 s", isRight, () => `${Math.round(skewMs / 1_000)} s off`);
    return again ?? state;
  }

  async #badMessages(): Promise<void> {
    const from = this.#robot.received.length;
    const valid = this.#robot.command("STOP", {});
    const bad = [
      { ...valid, v: 2 },
      { ...valid, verb: "GO" },
      { ...valid, seq: "high" },
      { ...valid, seq: -1 },
      null,
      [],
    ];
    for (const text of ["", "{", "no json", ...bad.map((one) => JSON.stringify(one))]) await this.#robot.sendText(text);
    await this.#robot.sendText(Buffer.from([0xff, 0xfe, 0x00]));
    const state = await this.#robot.requestState(this.#answerMs);
    const isDone = this.#robot.received
      .slice(from)
      .some(({ leaf, message }) => leaf === "ack" && message.id === valid.id && message.status !== "REJECTED");
    this.#expect(10, "unreadable messages change nothing, and it keeps working", state !== null && !isDone, () =>
      state === null ? "it no longer answers" : "it acted on one of them",
    );
  }

  async #oldOrders(): Promise<void> {
    // Ensures that there is a number below its last one.
    await this.#send(this.#robot.command("STOP", {}));
    await this.#robot.requestState(this.#answerMs);
    await this.#fences("SET", (overrides) => this.#idleSet(overrides));
    const why = this.#whyNotStart();
    if (why === null) await this.#fences("START", (overrides) => this.#start(this.#options.timeouts.runS, overrides));
    else this.#skip(1, "an old START is refused", why);
    await this.#repeatedSet();
  }

  /** Protocol rule 1: such an order is refused if its session, its age or its seq is old. */
  async #fences(verb: string, make: (overrides: Pick<Order, "session"> | Pick<Order, "seq">) => Order): Promise<void> {
    const { session = 0, lastSeq = 0, mode } = this.#robot.state ?? {};
    const expiresAt = new Date(this.#robot.clock.now().getTime() - 60_000).toISOString();
    const old = [
      ["of an old session", "OLD_SESSION", { session: session - 1 }],
      ["that is expired", "EXPIRED", { session, expiresAt }],
      ["with a low seq", "OLD_SEQ", { seq: lastSeq }],
    ] as const satisfies readonly (readonly [string, RejectCode, object])[];
    for (const [description, code, overrides] of old) {
      const ack = await this.#send(make(overrides));
      const state = await this.#robot.requestState(this.#answerMs);
      const isUnchanged = state?.motion === "STOPPED" && state.mode === mode;
      const observed = () => `${describeAck(ack)}, ${state?.motion} in ${state?.mode}`;
      const isRefused = ack?.status === "REJECTED" && ack.code === code;
      this.#expect(
        1,
        `a ${verb} ${description} is refused, ${code}, and changes nothing`,
        isRefused && isUnchanged,
        observed,
      );
      if (state?.motion !== "STOPPED") await this.stopRobot();
    }
  }

  async #repeatedSet(): Promise<void> {
    const set = this.#idleSet();
    const acks = [await this.#send(set), await this.#send(set)];
    const isSame = acks[0]?.status === "DONE" && acks[1]?.status === "DONE";
    const isLocked = this.#robot.state?.mode === "MAINTENANCE";
    if (isLocked) this.#skip(5, "a repeated id is acknowledged again", "the robot is in maintenance");
    else this.#expect(5, "a repeated id is acknowledged again", isSame, () => acks.map(describeAck).join(", then "));
  }

  async #stops(): Promise<void> {
    const old = { session: 0, seq: 1, expiresAt: new Date(0).toISOString() };
    const order = this.#robot.command("STOP", old);
    const ack = await this.#send(order);
    this.#expect(3, "a STOP is accepted whatever its session, seq or age", ack?.status === "DONE", () =>
      describeAck(ack),
    );
    const again = await this.#send(order);
    this.#expect(5, "a repeated STOP is acknowledged again", again?.status === "DONE", () => describeAck(again));
    const fresh = this.#robot.command("STOP", {});
    await this.#send(fresh);
    const state = await this.#robot.requestState(this.#answerMs);
    this.#expect(
      6,
      "lastSeq is that of the newest command it accepted",
      state?.lastSeq === fresh.seq,
      () => `${state?.lastSeq} instead of ${fresh.seq}`,
    );
  }

  async #maintenance({ mode: before }: StateMessage): Promise<void> {
    if (before === "MAINTENANCE") {
      this.#skip(8, "maintenance locks the robot", "it is already in maintenance, which is not this check's to end");
      return;
    }
    if (!(await this.#lock())) return;
    const set = await this.#send(this.#idleSet());
    this.#expect(8, "a locked robot refuses SET, MAINTENANCE", set?.code === "MAINTENANCE", () => describeAck(set));
    this.#skip(8, "a locked robot refuses START", "a robot in maintenance is never sent one");
    const stop = await this.#send(this.#robot.command("STOP", {}));
    this.#expect(8, "a locked robot accepts STOP", stop?.status === "DONE", () => describeAck(stop));
    await this.#fences("MAINTENANCE_OFF", (overrides) => this.#robot.command("MAINTENANCE_OFF", overrides));
    await this.#release(before);
  }

  async #lock(): Promise<boolean> {
    const from = this.#robot.received.length;
    const order = this.#robot.command("MAINTENANCE_ON", { session: 0, expiresAt: new Date(0).toISOString() });
    const ack = await this.#send(order);
    const state = await this.#robot.waitForState(({ mode }) => mode === "MAINTENANCE", this.#answerMs, from);
    const isLocked =
      ack?.status === "DONE" && state !== null && state.motion === "STOPPED" && state.lastSeq >= order.seq;
    return this.#expect(
      8,
      "MAINTENANCE_ON is accepted whatever its session or age, raises lastSeq and is reported",
      isLocked,
      () => `${describeAck(ack)}, mode ${this.#robot.state?.mode}`,
    );
  }

  async #release(before: StateMessage["mode"]): Promise<void> {
    const ack = await this.#send(this.#robot.command("MAINTENANCE_OFF", {}));
    const state = await this.#robot.requestState(this.#answerMs);
    const isBack = ack?.status === "DONE" && state?.mode === before && state.motion === "STOPPED";
    this.#expect(
      8,
      `MAINTENANCE_OFF returns to ${before}, stopped`,
      isBack,
      () => `${describeAck(ack)}, mode ${state?.mode}`,
    );
  }

  #whyNotStart(): string | null {
    const { state } = this.#robot;
    if (!this.#options.mayMove) return "it may not move: --may-move";
    if (state === null) return "its state is unknown";
    if (state.mode === "MAINTENANCE") return "it is in maintenance";
    if (state.motion === "MOVING") return "it is already moving";
    if (state.battery < MIN_BATTERY) return `its battery has ${state.battery} %`;
    return state.alerts.some(({ severity }) => severity === "CRITICAL") ? "it has a critical alert" : null;
  }

  async #moves(): Promise<void> {
    const why = this.#whyNotStart();
    if (why !== null) {
      for (const [rule, what] of inMotion) this.#skip(rule, what, why);
      return;
    }
    await this.#shortRun();
    await this.#stoppedRun();
  }

  async #shortRun(): Promise<void> {
    const robot = this.#robot;
    const from = robot.received.length;
    const start = this.#start(this.#options.timeouts.runS);
    const ack = await this.#send(start);
    const moving = await robot.waitForState(({ runId }) => runId === start.runId, this.#answerMs, from);
    const began = moving?.motion === "MOVING" && moving.lastSeq === start.seq;
    if (!this.#expect(6, inMotion[0][1], began && ack?.status === "ACCEPTED", () => describeAck(ack))) return;
    const beganMs = robot.clock.now().getTime();
    const busy = await this.#send(this.#start(this.#options.timeouts.runS));
    this.#expect(2, inMotion[1][1], busy?.code === "BUSY", () => describeAck(busy));
    const stopped = await robot.waitForState(
      ({ motion, seq }) => motion === "STOPPED" && seq > (moving?.seq ?? 0),
      this.#options.timeouts.runS * 1_000 + this.#answerMs,
      from,
    );
    const tookMs = robot.clock.now().getTime() - beganMs;
    this.#expect(
      4,
      inMotion[2][1],
      stopped !== null && stopped.runId === null,
      () => `it still moves after ${tookMs} ms`,
    );
    await this.#events(start.runId, from);
  }

  async #events(runId: string, from: number): Promise<void> {
    const robot = this.#robot;
    const { repeatMs } = this.#options.timeouts;
    const ofRun = (kind: string) => (one: { kind: string; runId?: string }) => one.kind === kind && one.runId === runId;
    const began = (await robot.next("event", ofRun("RUN_BEGAN"), this.#answerMs, from))?.message;
    const ended = (await robot.next("event", ofRun("RUN_ENDED"), this.#answerMs, from))?.message;
    const isComplete = ended?.kind === "RUN_ENDED" && ended.reason === "MAX_DURATION";
    if (!this.#expect(6, inMotion[3][1], began !== undefined && isComplete, () => JSON.stringify(ended ?? "no event")))
      return;
    const [first, last] = [began?.eventSeq ?? 0, ended?.eventSeq ?? 0];
    const grows = last > first && isPlausible(first, robot.clock.now().getTime());
    this.#expect(14, inMotion[4][1], grows, () => `${first}, then ${last}`);
    const repeated = await robot.next("event", ({ eventSeq }) => eventSeq === first, repeatMs);
    this.#expect(5, inMotion[5][1], repeated !== null, () => `not within ${repeatMs / 1_000} s`);
    await robot.send(robot.command("RECEIVED", { eventSeq: first }));
    await robot.requestState(this.#answerMs);
    const afterwards = robot.received.length;
    const other = await robot.next("event", ({ eventSeq }) => eventSeq === last, repeatMs);
    const keepGoing = robot.received
      .slice(afterwards)
      .some(({ leaf, message }) => leaf === "event" && message.eventSeq === first);
    this.#expect(5, inMotion[6][1], other !== null && !keepGoing, () =>
      keepGoing ? "it is still repeated" : "the other one is lost, too",
    );
    await robot.send(robot.command("RECEIVED", { eventSeq: last }));
  }

  async #stoppedRun(): Promise<void> {
    const robot = this.#robot;
    const from = robot.received.length;
    const early = this.#robot.command("STOP", {});
    const start = this.#start(this.#options.timeouts.stoppedRunS);
    const first = await this.#send(start);
    await robot.waitForState(({ runId }) => runId === start.runId, this.#answerMs, from);
    const dropped = await this.#send(early);
    const still = await robot.requestState(this.#answerMs);
    const keepGoing = dropped?.status === "REJECTED" && dropped.code === "OLD_SEQ" && still?.motion === "MOVING";
    this.#expect(3, inMotion[7][1], keepGoing, () => `${describeAck(dropped)}, ${still?.motion}`);
    const old = { session: 0, seq: 1, expiresAt: new Date(0).toISOString() };
    const ack = await this.#send(this.#robot.command("STOP", old));
    const stopped = await robot.requestState(this.#answerMs);
    const isStopped = ack?.status === "DONE" && stopped?.motion === "STOPPED" && stopped.runId === null;
    this.#expect(3, inMotion[8][1], isStopped, () => `${describeAck(ack)}, ${stopped?.motion}`);
    const again = await this.#send(start);
    const after = await robot.requestState(this.#answerMs);
    const isOnce = again?.status === first?.status && after?.motion === "STOPPED";
    this.#expect(5, inMotion[9][1], isOnce, () => `${describeAck(again)}, ${after?.motion}`);
    for (const { leaf, message } of robot.received.slice(from)) {
      if (leaf !== "event" || !("runId" in message) || message.runId !== start.runId) continue;
      await robot.send(robot.command("RECEIVED", { eventSeq: message.eventSeq }));
    }
  }

  /** A power cut shows the will, the next session, what survives, and whether a retained command is ignored. */
  async #person(): Promise<void> {
    const { promptPerson, timeouts } = this.#options;
    const before = this.#robot.state;
    if (promptPerson === null || before === null || before.mode === "MAINTENANCE") {
      const why = promptPerson === null ? "needs a person at the robot: --person" : "it is in maintenance";
      for (const [rule, what] of overPowerLoss) this.#skip(rule, what, why);
      return;
    }
    if (!(await this.#lock())) return;
    const retained = this.#robot.command("STOP", {});
    const from = this.#robot.received.length;
    try {
      // It arrives live now, and again, marked as retained, when the robot resubscribes.
      await this.#robot.send(retained, true);
      await this.#robot.requestState(this.#answerMs);
      const cutFrom = this.#robot.received.length;
      promptPerson("Turn the robot's power off now, and on again half a minute later.");
      const will = await this.#robot.next(
        "connection",
        ({ state, session }) => state === "CONNECTION_BROKEN" && session === before.session,
        timeouts.personMs,
        cutFrom,
      );
      this.#expect(7, overPowerLoss[0][1], will !== null, () => "no CONNECTION_BROKEN of its session");
      const back = await this.#robot.waitForState(
        ({ session }) => session !== before.session,
        timeouts.personMs,
        cutFrom,
      );
      this.#expect(
        1,
        overPowerLoss[1][1],
        (back?.session ?? 0) > before.session,
        () => `${before.session}, then ${back?.session}`,
      );
      const state = await this.#robot.requestState(this.#answerMs);
      const isPreserved = state?.mode === "MAINTENANCE" && state.motion === "STOPPED" && state.lastSeq >= retained.seq;
      this.#expect(8, overPowerLoss[2][1], isPreserved, () => `mode ${state?.mode}, lastSeq ${state?.lastSeq}`);
      const answers = this.#robot.received
        .slice(from)
        .filter(({ leaf, message }) => leaf === "ack" && message.id === retained.id);
      this.#expect(1, overPowerLoss[3][1], answers.length < 2, () => "it acknowledged a retained STOP");
    } finally {
      await this.#robot.sendText("", true);
    }
    await this.#release(before.mode);
  }

  async #reports(): Promise<void> {
    const { reportMs } = this.#options.timeouts;
    await this.#robot.requestState(this.#answerMs);
    const state = await this.#robot.waitForState(() => true, reportMs, this.#robot.received.length);
    this.#expect(7, "it reports unprompted within 30 s", state !== null, () => `no state within ${reportMs / 1_000} s`);
  }
}

/** What only a moving robot can show. */
const inMotion = [
  [6, "START is accepted, and MOVING reported with its runId and seq"],
  [2, "a START while it moves is refused, BUSY"],
  [4, "it stops maxDurationS after the START"],
  [6, "its events report the run from RUN_BEGAN to RUN_ENDED, MAX_DURATION"],
  [14, "eventSeq starts at Unix seconds and grows"],
  [5, "an event is repeated until RECEIVED"],
  [5, "an event is not repeated after RECEIVED"],
  [3, "a STOP older than a START of its session is refused, OLD_SEQ"],
  [3, "a STOP of another session, low seq and any age stops it"],
  [5, "a START repeated after a STOP does not move it"],
] as const;

const overPowerLoss = [
  [7, "its will reports the broken link"],
  [1, "it raises its session before it connects"],
  [8, "maintenance and lastSeq survive power loss"],
  [1, "a retained command is ignored"],
] as const;

export function isPlausible(seconds: number, nowMs: number): boolean {
  return seconds >= FIRST_SECOND && seconds <= nowMs / 1_000 + DAY_S;
}

function describeAck(ack: AckMessage | null): string {
  return ack === null ? "no answer" : `${ack.status}${ack.code === null ? "" : ` ${ack.code}`}`;
}

import { randomUUID } from "node:crypto";
import type { AckMessage, RejectCode, StateMessage } from "@suncrew/contract/devices/messages.ts";
import type { Conversation, Order, Saying } from "./conversation.ts";

/** How long each thing is waited for, in milliseconds. */
export interface Patience {
  /** An ack or a state that answers. */
  readonly answerMs: number;
  /** A state that comes by itself. */
  readonly reportMs: number;
  /** An event that is repeated. */
  readonly repeatMs: number;
  /** A person at the robot. */
  readonly personMs: number;
  /** How long a run lasts that ends by itself, and one at most that is stopped, in seconds. */
  readonly runS: number;
  readonly stoppedRunS: number;
}
export const usualPatience: Patience = {
  answerMs: 5_000,
  reportMs: 30_000,
  repeatMs: 35_000,
  personMs: 300_000,
  runS: 3,
  stoppedRunS: 20,
};

export interface Terms {
  readonly patience: Patience;
  /** A START may be sent. */
  readonly mayMove: boolean;
  /** Asks a person to cut the robot's power and give it back; null where nobody is there. */
  readonly askPerson: ((wish: string) => void) | null;
  readonly say: (line: string) => void;
}

export interface Finding {
  readonly rule: number;
  readonly what: string;
  readonly result: "holds" | "does not hold" | "not tried";
  /** What was seen instead, or why it was not tried. */
  readonly why: string;
}

type StartOrder = Extract<Order, { verb: "START" }>;

const MIN_BATTERY = 20;
const CLOCK_LIMIT_MS = 30_000;
const DAY_S = 86_400;
/** Session and event numbers begin at Unix seconds: none is from before this (rule 14). */
const FIRST_SECOND = Date.UTC(2024, 0, 1) / 1_000;

/** Holds one robot against the rules of the device protocol, one after the other. The last thing it sends is a STOP. */
export class Examination {
  readonly findings: Finding[] = [];
  readonly #robot: Conversation;
  readonly #terms: Terms;
  readonly #answerMs: number;

  constructor(robot: Conversation, terms: Terms) {
    this.#robot = robot;
    this.#terms = terms;
    this.#answerMs = terms.patience.answerMs;
  }

  /** Tries all that may be tried. True where all of that holds. */
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
      this.#hold(10, "every message of the robot can be read", this.#robot.unreadable.length === 0, () =>
        [...new Set(this.#robot.unreadable)].slice(0, 3).join("; "),
      );
    } finally {
      await this.stopRobot();
    }
    this.#leave(2, "when a START is sent", "the server's side");
    this.#leave(4, "it stops 300 s after it lost its broker", "it would move for five minutes");
    this.#leave(9, "it reaches its own topics only", "wants the robot's own secret; a matter of the broker");
    this.#leave(11, "one server takes in what robots say", "the server's side");
    this.#leave(13, "new firmware", "offer it in Suncrew, to this robot alone");
    return this.findings.every(({ result }) => result !== "does not hold");
  }

  /** The last word, whatever happened before. */
  async stopRobot(): Promise<void> {
    const stop = this.#robot.command("STOP", {});
    const ack = await this.#robot.order(stop, this.#answerMs).catch(() => null);
    if (ack?.status !== "DONE") this.#terms.say(`The last STOP was answered by ${said(ack)}: look after the robot.`);
  }

  /** At once, whatever is under way: nothing but a STOP goes out from now on. */
  async interrupt(): Promise<void> {
    this.#robot.onlyStop();
    await this.stopRobot();
    // What was retained for the power cut; a robot drops the empty message.
    await this.#robot.sendText("", true).catch(() => {});
  }

  #record(finding: Finding): void {
    this.findings.push(finding);
    const { rule, what, result, why } = finding;
    const word = result === "does not hold" ? "DOES NOT HOLD" : result;
    this.#terms.say(`${word.padEnd(13)}  rule ${String(rule).padEnd(2)}  ${what}${why === "" ? "" : ` (${why})`}`);
  }

  #hold(rule: number, what: string, holds: boolean, saw: () => string): boolean {
    this.#record({ rule, what, result: holds ? "holds" : "does not hold", why: holds ? "" : saw() });
    return holds;
  }

  #leave(rule: number, what: string, why: string): void {
    this.#record({ rule, what, result: "not tried", why });
  }

  #start(maxDurationS: number, saying: Saying<StartOrder> = {}): StartOrder {
    const { direction = "FWD", mainSpeed = 50, brushSpeed = 50 } = this.#robot.state?.applied ?? {};
    const params = { status: "start", direction, "main-speed": mainSpeed, "brush-speed": brushSpeed } as const;
    return this.#robot.command("START", { runId: randomUUID(), maxDurationS, params, ...saying });
  }

  /** An order that changes nothing where it is taken. */
  #idleSet(saying: Pick<Saying<Order>, "session" | "seq" | "expiresAt"> = {}): Order {
    const { direction = "FWD" } = this.#robot.state?.applied ?? {};
    return this.#robot.command("SET", { params: { direction }, ...saying });
  }

  #told(order: Order): Promise<AckMessage | null> {
    return this.#robot.order(order, this.#answerMs);
  }

  async #presence(): Promise<StateMessage | null> {
    const kept = await this.#robot.next("connection", () => true, this.#answerMs, 0);
    const isOnline = kept?.message.state === "ONLINE";
    this.#hold(7, "its retained connection says ONLINE", isOnline, () => kept?.message.state ?? "none");
    const first = await this.#robot.ask(this.#answerMs);
    if (!this.#hold(7, "STATUS is answered by a state that names it", first !== null, () => "no such state"))
      return null;
    const state = first as StateMessage;
    const again = await this.#robot.ask(this.#answerMs);
    this.#hold(
      7,
      "seq of state grows",
      again !== null && again.seq > state.seq,
      () => `${state.seq}, then ${again?.seq}`,
    );
    const { session } = state;
    this.#hold(
      7,
      "connection and state name the same session",
      session === kept?.message.session,
      () => `${kept?.message.session} and ${session}`,
    );
    const nowMs = this.#robot.clock.now().getTime();
    this.#hold(14, "session began at Unix seconds", isBelievable(session, nowMs), () => `session ${session}`);
    const skewMs = Date.parse((again ?? state).ts) - nowMs;
    const isRight = Math.abs(skewMs) <= CLOCK_LIMIT_MS;
    this.#hold(12, "its clock is right to 30 s", isRight, () => `${Math.round(skewMs / 1_000)} s off`);
    return again ?? state;
  }

  async #badMessages(): Promise<void> {
    const from = this.#robot.heard.length;
    const whole = this.#robot.command("STOP", {});
    const bad = [
      { ...whole, v: 2 },
      { ...whole, verb: "GO" },
      { ...whole, seq: "high" },
      { ...whole, seq: -1 },
      null,
      [],
    ];
    for (const text of ["", "{", "no json", ...bad.map((one) => JSON.stringify(one))]) await this.#robot.sendText(text);
    await this.#robot.sendText(Buffer.from([0xff, 0xfe, 0x00]));
    const state = await this.#robot.ask(this.#answerMs);
    const isDone = this.#robot.heard
      .slice(from)
      .some(({ leaf, message }) => leaf === "ack" && message.id === whole.id && message.status !== "REJECTED");
    this.#hold(10, "messages that cannot be read change nothing, and it goes on", state !== null && !isDone, () =>
      state === null ? "it does not answer any more" : "it took one of them",
    );
  }

  async #oldOrders(): Promise<void> {
    // So that there is a lower number than its last.
    await this.#told(this.#robot.command("STOP", {}));
    await this.#robot.ask(this.#answerMs);
    await this.#fences("SET", (saying) => this.#idleSet(saying));
    const why = this.#whyNotStart();
    if (why === null) await this.#fences("START", (saying) => this.#start(this.#terms.patience.runS, saying));
    else this.#leave(1, "an old START is refused", why);
    await this.#repeatedSet();
  }

  /** Protocol rule 1: such an order is refused where its session, its age or its seq is old. */
  async #fences(verb: string, make: (saying: Pick<Order, "session"> | Pick<Order, "seq">) => Order): Promise<void> {
    const { session = 0, lastSeq = 0, mode } = this.#robot.state ?? {};
    const expiresAt = new Date(this.#robot.clock.now().getTime() - 60_000).toISOString();
    const old = [
      ["of an old session", "OLD_SESSION", { session: session - 1 }],
      ["that is expired", "EXPIRED", { session, expiresAt }],
      ["with a low seq", "OLD_SEQ", { seq: lastSeq }],
    ] as const satisfies readonly (readonly [string, RejectCode, object])[];
    for (const [words, code, saying] of old) {
      const ack = await this.#told(make(saying));
      const state = await this.#robot.ask(this.#answerMs);
      const isAsBefore = state?.motion === "STOPPED" && state.mode === mode;
      const saw = () => `${said(ack)}, ${state?.motion} in ${state?.mode}`;
      const isRefused = ack?.status === "REJECTED" && ack.code === code;
      this.#hold(1, `a ${verb} ${words} is refused, ${code}, and changes nothing`, isRefused && isAsBefore, saw);
      if (state?.motion !== "STOPPED") await this.stopRobot();
    }
  }

  async #repeatedSet(): Promise<void> {
    const set = this.#idleSet();
    const acks = [await this.#told(set), await this.#told(set)];
    const isSame = acks[0]?.status === "DONE" && acks[1]?.status === "DONE";
    const isLocked = this.#robot.state?.mode === "MAINTENANCE";
    if (isLocked) this.#leave(5, "a repeated id is acknowledged again", "the robot is in maintenance");
    else this.#hold(5, "a repeated id is acknowledged again", isSame, () => acks.map(said).join(", then "));
  }

  async #stops(): Promise<void> {
    const old = { session: 0, seq: 1, expiresAt: new Date(0).toISOString() };
    const order = this.#robot.command("STOP", old);
    const ack = await this.#told(order);
    this.#hold(3, "a STOP is taken whatever its session, seq or age", ack?.status === "DONE", () => said(ack));
    const again = await this.#told(order);
    this.#hold(5, "a repeated STOP is acknowledged again", again?.status === "DONE", () => said(again));
    const fresh = this.#robot.command("STOP", {});
    await this.#told(fresh);
    const state = await this.#robot.ask(this.#answerMs);
    this.#hold(
      6,
      "lastSeq is that of the newest command it took",
      state?.lastSeq === fresh.seq,
      () => `${state?.lastSeq} instead of ${fresh.seq}`,
    );
  }

  async #maintenance({ mode: before }: StateMessage): Promise<void> {
    if (before === "MAINTENANCE") {
      this.#leave(8, "maintenance is a wall", "it is in maintenance already, which somebody else must end");
      return;
    }
    if (!(await this.#lock())) return;
    const set = await this.#told(this.#idleSet());
    this.#hold(8, "a locked robot refuses SET, MAINTENANCE", set?.code === "MAINTENANCE", () => said(set));
    this.#leave(8, "a locked robot refuses START", "a robot in maintenance is never sent one");
    const stop = await this.#told(this.#robot.command("STOP", {}));
    this.#hold(8, "a locked robot takes STOP", stop?.status === "DONE", () => said(stop));
    await this.#fences("MAINTENANCE_OFF", (saying) => this.#robot.command("MAINTENANCE_OFF", saying));
    await this.#release(before);
  }

  async #lock(): Promise<boolean> {
    const from = this.#robot.heard.length;
    const order = this.#robot.command("MAINTENANCE_ON", { session: 0, expiresAt: new Date(0).toISOString() });
    const ack = await this.#told(order);
    const state = await this.#robot.shows(({ mode }) => mode === "MAINTENANCE", this.#answerMs, from);
    const isLocked =
      ack?.status === "DONE" && state !== null && state.motion === "STOPPED" && state.lastSeq >= order.seq;
    return this.#hold(
      8,
      "MAINTENANCE_ON is taken whatever its session or age, raises lastSeq and shows",
      isLocked,
      () => `${said(ack)}, mode ${this.#robot.state?.mode}`,
    );
  }

  async #release(before: StateMessage["mode"]): Promise<void> {
    const ack = await this.#told(this.#robot.command("MAINTENANCE_OFF", {}));
    const state = await this.#robot.ask(this.#answerMs);
    const isBack = ack?.status === "DONE" && state?.mode === before && state.motion === "STOPPED";
    this.#hold(8, `MAINTENANCE_OFF returns to ${before}, standing`, isBack, () => `${said(ack)}, mode ${state?.mode}`);
  }

  #whyNotStart(): string | null {
    const { state } = this.#robot;
    if (!this.#terms.mayMove) return "it may not move: --may-move";
    if (state === null) return "nothing is known of it";
    if (state.mode === "MAINTENANCE") return "it is in maintenance";
    if (state.motion === "MOVING") return "it moves already";
    if (state.battery < MIN_BATTERY) return `its battery has ${state.battery} %`;
    return state.alerts.some(({ severity }) => severity === "CRITICAL") ? "it has a critical alert" : null;
  }

  async #moves(): Promise<void> {
    const why = this.#whyNotStart();
    if (why !== null) {
      for (const [rule, what] of inMotion) this.#leave(rule, what, why);
      return;
    }
    await this.#shortRun();
    await this.#stoppedRun();
  }

  async #shortRun(): Promise<void> {
    const robot = this.#robot;
    const from = robot.heard.length;
    const start = this.#start(this.#terms.patience.runS);
    const ack = await this.#told(start);
    const moving = await robot.shows(({ runId }) => runId === start.runId, this.#answerMs, from);
    const began = moving?.motion === "MOVING" && moving.lastSeq === start.seq;
    if (!this.#hold(6, inMotion[0][1], began && ack?.status === "ACCEPTED", () => said(ack))) return;
    const beganMs = robot.clock.now().getTime();
    const busy = await this.#told(this.#start(this.#terms.patience.runS));
    this.#hold(2, inMotion[1][1], busy?.code === "BUSY", () => said(busy));
    const stands = await robot.shows(
      ({ motion, seq }) => motion === "STOPPED" && seq > (moving?.seq ?? 0),
      this.#terms.patience.runS * 1_000 + this.#answerMs,
      from,
    );
    const tookMs = robot.clock.now().getTime() - beganMs;
    this.#hold(4, inMotion[2][1], stands !== null && stands.runId === null, () => `it moves after ${tookMs} ms`);
    await this.#events(start.runId, from);
  }

  async #events(runId: string, from: number): Promise<void> {
    const robot = this.#robot;
    const { repeatMs } = this.#terms.patience;
    const ofRun = (kind: string) => (one: { kind: string; runId?: string }) => one.kind === kind && one.runId === runId;
    const began = (await robot.next("event", ofRun("RUN_BEGAN"), this.#answerMs, from))?.message;
    const ended = (await robot.next("event", ofRun("RUN_ENDED"), this.#answerMs, from))?.message;
    const isWhole = ended?.kind === "RUN_ENDED" && ended.reason === "MAX_DURATION";
    if (!this.#hold(6, inMotion[3][1], began !== undefined && isWhole, () => JSON.stringify(ended ?? "no event")))
      return;
    const [first, last] = [began?.eventSeq ?? 0, ended?.eventSeq ?? 0];
    const grows = last > first && isBelievable(first, robot.clock.now().getTime());
    this.#hold(14, inMotion[4][1], grows, () => `${first}, then ${last}`);
    const repeated = await robot.next("event", ({ eventSeq }) => eventSeq === first, repeatMs);
    this.#hold(5, inMotion[5][1], repeated !== null, () => `not within ${repeatMs / 1_000} s`);
    await robot.send(robot.command("RECEIVED", { eventSeq: first }));
    await robot.ask(this.#answerMs);
    const afterwards = robot.heard.length;
    const other = await robot.next("event", ({ eventSeq }) => eventSeq === last, repeatMs);
    const goesOn = robot.heard
      .slice(afterwards)
      .some(({ leaf, message }) => leaf === "event" && message.eventSeq === first);
    this.#hold(5, inMotion[6][1], other !== null && !goesOn, () => (goesOn ? "it goes on" : "the other is lost, too"));
    await robot.send(robot.command("RECEIVED", { eventSeq: last }));
  }

  async #stoppedRun(): Promise<void> {
    const robot = this.#robot;
    const from = robot.heard.length;
    const early = this.#robot.command("STOP", {});
    const start = this.#start(this.#terms.patience.stoppedRunS);
    const first = await this.#told(start);
    await robot.shows(({ runId }) => runId === start.runId, this.#answerMs, from);
    const dropped = await this.#told(early);
    const still = await robot.ask(this.#answerMs);
    const goesOn = dropped?.status === "REJECTED" && dropped.code === "OLD_SEQ" && still?.motion === "MOVING";
    this.#hold(3, inMotion[7][1], goesOn, () => `${said(dropped)}, ${still?.motion}`);
    const old = { session: 0, seq: 1, expiresAt: new Date(0).toISOString() };
    const ack = await this.#told(this.#robot.command("STOP", old));
    const stands = await robot.ask(this.#answerMs);
    const isStopped = ack?.status === "DONE" && stands?.motion === "STOPPED" && stands.runId === null;
    this.#hold(3, inMotion[8][1], isStopped, () => `${said(ack)}, ${stands?.motion}`);
    const again = await this.#told(start);
    const after = await robot.ask(this.#answerMs);
    const isOnce = again?.status === first?.status && after?.motion === "STOPPED";
    this.#hold(5, inMotion[9][1], isOnce, () => `${said(again)}, ${after?.motion}`);
    for (const { leaf, message } of robot.heard.slice(from)) {
      if (leaf !== "event" || !("runId" in message) || message.runId !== start.runId) continue;
      await robot.send(robot.command("RECEIVED", { eventSeq: message.eventSeq }));
    }
  }

  /** A power cut shows the will, the next session, what is kept, and whether a retained command is ignored. */
  async #person(): Promise<void> {
    const { askPerson, patience } = this.#terms;
    const before = this.#robot.state;
    if (askPerson === null || before === null || before.mode === "MAINTENANCE") {
      const why = askPerson === null ? "wants a person at the robot: --person" : "it is in maintenance";
      for (const [rule, what] of overPowerLoss) this.#leave(rule, what, why);
      return;
    }
    if (!(await this.#lock())) return;
    const kept = this.#robot.command("STOP", {});
    const from = this.#robot.heard.length;
    try {
      // It comes live now, and again, marked as retained, when the robot subscribes anew.
      await this.#robot.send(kept, true);
      await this.#robot.ask(this.#answerMs);
      const cutFrom = this.#robot.heard.length;
      askPerson("Cut the robot's power now, and give it back half a minute later.");
      const will = await this.#robot.next(
        "connection",
        ({ state, session }) => state === "CONNECTION_BROKEN" && session === before.session,
        patience.personMs,
        cutFrom,
      );
      this.#hold(7, overPowerLoss[0][1], will !== null, () => "no CONNECTION_BROKEN of its session");
      const back = await this.#robot.shows(({ session }) => session !== before.session, patience.personMs, cutFrom);
      this.#hold(
        1,
        overPowerLoss[1][1],
        (back?.session ?? 0) > before.session,
        () => `${before.session}, then ${back?.session}`,
      );
      const state = await this.#robot.ask(this.#answerMs);
      const isKept = state?.mode === "MAINTENANCE" && state.motion === "STOPPED" && state.lastSeq >= kept.seq;
      this.#hold(8, overPowerLoss[2][1], isKept, () => `mode ${state?.mode}, lastSeq ${state?.lastSeq}`);
      const answers = this.#robot.heard
        .slice(from)
        .filter(({ leaf, message }) => leaf === "ack" && message.id === kept.id);
      this.#hold(1, overPowerLoss[3][1], answers.length < 2, () => "it answered a retained STOP");
    } finally {
      await this.#robot.sendText("", true);
    }
    await this.#release(before.mode);
  }

  async #reports(): Promise<void> {
    const { reportMs } = this.#terms.patience;
    await this.#robot.ask(this.#answerMs);
    const state = await this.#robot.shows(() => true, reportMs, this.#robot.heard.length);
    this.#hold(7, "it reports by itself within 30 s", state !== null, () => `no state within ${reportMs / 1_000} s`);
  }
}

/** What only a robot that moves can show. */
const inMotion = [
  [6, "START is accepted, and shows MOVING with its runId and seq"],
  [2, "a START while it moves is refused, BUSY"],
  [4, "it stops maxDurationS after the START"],
  [6, "its events tell of the run from RUN_BEGAN to RUN_ENDED, MAX_DURATION"],
  [14, "eventSeq began at Unix seconds and grows"],
  [5, "an event is repeated until RECEIVED"],
  [5, "an event is not repeated after RECEIVED"],
  [3, "a STOP older than a START of its session is refused, OLD_SEQ"],
  [3, "a STOP of another session, low seq and any age stops it"],
  [5, "a START that is repeated after a STOP moves nothing"],
] as const;

const overPowerLoss = [
  [7, "its will tells of the broken link"],
  [1, "it raises its session before it connects"],
  [8, "maintenance and lastSeq survive power loss"],
  [1, "a retained command is ignored"],
] as const;

function isBelievable(seconds: number, nowMs: number): boolean {
  return seconds >= FIRST_SECOND && seconds <= nowMs / 1_000 + DAY_S;
}

function said(ack: AckMessage | null): string {
  return ack === null ? "no answer" : `${ack.status}${ack.code === null ? "" : ` ${ack.code}`}`;
}

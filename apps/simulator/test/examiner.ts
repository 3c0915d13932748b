import type { CommandMessage, FirmwareOfferMessage } from "@suncrew/contract/devices/messages.ts";
import { isClockSet } from "../src/robot/moment.ts";
import type { Outgoing } from "../src/robot/report.ts";
import { acksIn, LINK_LOSS_MS, type RobotBench, statesIn } from "./robot-bench.ts";

type Order = Exclude<CommandMessage, { verb: "STATUS" | "RECEIVED" }>;
type StartOrder = Extract<Order, { verb: "START" }>;
type Answer = ReturnType<typeof acksIn>[number];

/** Watches a robot on the bench and throws, naming the rule, as soon as it breaks one. It shares no code with the robot. */
export class Examiner {
  readonly #bench: RobotBench;
  #before: ReturnType<Examiner["look"]>;
  readonly #taken = new Set<string>();
  readonly #startsTaken: StartOrder[] = [];
  /** Answers that must be repeated word for word. */
  readonly #answers = new Map<string, { answer: Answer; survivesPowerLoss: boolean }>();
  #begun: { atMs: number; order: StartOrder } | null = null;
  /** Offers whose download was whole, and so may come to run. */
  readonly #whole = new Set<string>();
  /** How often it came to run new firmware. */
  installed = 0;
  #unlinkedAtMs: number | null;
  #heard: number;

  constructor(bench: RobotBench) {
    this.#bench = bench;
    this.#before = this.look();
    this.#unlinkedAtMs = bench.linked ? null : bench.monotonicMs;
    this.#heard = bench.said.length;
  }

  look() {
    const { robot, moves } = this.#bench;
    const { session, lastSeq, motion, mode, runId, firmware } = robot;
    return {
      session,
      firmware,
      lastSeq,
      motion,
      mode,
      runId,
      applied: JSON.stringify(robot.applied),
      moves: moves.length,
    };
  }

  /** Delivers one command and holds what it did against the rules. */
  deliver(command: CommandMessage, retained: boolean): void {
    const { wallMs } = this.#bench.moment;
    const acks = acksIn(this.#bench.deliver(command, retained));
    const before = this.#before;
    const after = this.look();
    if (retained || command.verb === "STATUS" || command.verb === "RECEIVED") {
      hold("1", "a retained message or a question changes nothing", same(before, after) && acks.length === 0);
    } else {
      this.#judge(command, wallMs, acks, after);
    }
    this.settle(command.verb === "START" && !retained ? command : null);
  }

  /** Delivers one offer of firmware, and holds that it is taken once, and only by a robot that is free for it. */
  offer(offer: FirmwareOfferMessage): void {
    const { moment, work, robot } = this.#bench;
    const before = this.#before;
    const taken = `download ${offer.id}`;
    const wasTaken = work.includes(taken);
    const wasBusy = ["DOWNLOADING", "INSTALLING"].includes(robot.update?.phase ?? "");
    const downloads = work.length;
    this.#bench.deliverOffer(offer);
    if (work.slice(downloads).includes(taken)) {
      const { wallMs } = moment;
      const inTime = isClockSet(wallMs) && wallMs < Date.parse(offer.expiresAt) && offer.session === before.session;
      hold("1", "only a fresh offer is taken", inTime);
      hold("5", "an offer acts once", !wasTaken);
      const isFree = before.motion === "STOPPED" && before.mode !== "MAINTENANCE" && !wasBusy;
      hold("13", "only a robot that stands still, outside maintenance, takes an offer", isFree);
      hold("13", "no offer is taken with a low battery", robot.battery >= 49);
    }
    this.settle();
  }

  downloadEnds(offer: FirmwareOfferMessage, isWhole: boolean): void {
    if (isWhole) this.#whole.add(offer.version);
    this.#bench.downloadEnds(offer.id, isWhole ? null : "HASH_MISMATCH");
    this.settle();
  }

  #judge(order: Order, wallMs: number, acks: readonly Answer[], after: ReturnType<Examiner["look"]>): void {
    const before = this.#before;
    const repeated = this.#taken.has(order.id);
    const inTime = isClockSet(wallMs) && wallMs < Date.parse(order.expiresAt);
    const fresh = order.session === before.session && inTime && order.seq > before.lastSeq && !repeated;
    const [ack] = acks;
    hold("5", "every command is answered once", acks.length === 1 && ack?.id === order.id);
    const earlier = this.#answers.get(order.id)?.answer;
    if (earlier !== undefined)
      hold("5", "a repeated id is answered as before", JSON.stringify(ack) === JSON.stringify(earlier));
    if (repeated) hold("5", "a repeated id acts once", same(before, after));
    if (after.moves > before.moves) {
      const free = before.motion === "STOPPED" && before.mode !== "MAINTENANCE";
      hold("1", "only a fresh START to a free robot sets it moving", order.verb === "START" && fresh && free);
      hold("12", "a clock that is not set starts nothing", isClockSet(wallMs));
    }
    if (after.applied !== before.applied) {
      const moving = order.verb === "START" || order.verb === "SET";
      hold("1", "only a fresh START or SET changes the settings", moving && fresh && before.mode !== "MAINTENANCE");
    }
    if (before.mode === "MAINTENANCE" && after.mode !== "MAINTENANCE") {
      hold("8", "only a fresh MAINTENANCE_OFF ends maintenance", order.verb === "MAINTENANCE_OFF" && fresh);
    }
    if (order.verb === "STOP" && !repeated) this.#judgeStop(order, ack, after);
    if (order.verb === "MAINTENANCE_ON" && !repeated) {
      const locked = after.mode === "MAINTENANCE" && after.motion === "STOPPED" && after.lastSeq >= order.seq;
      hold("8", "MAINTENANCE_ON always locks and stops", locked && ack?.status === "DONE");
    }
    this.#remember(order, ack, after);
  }

  #judgeStop(order: Order, ack: Answer | undefined, after: ReturnType<Examiner["look"]>): void {
    const overtaken = this.#startsTaken.some(
      (start) => start.session === order.session && start.session === this.#before.session && start.seq > order.seq,
    );
    if (overtaken) {
      hold(
        "3",
        "a STOP older than a START taken in its session is dropped",
        ack?.status === "REJECTED" && same(this.#before, after),
      );
    } else {
      const stopped = after.motion === "STOPPED" && after.lastSeq >= order.seq;
      hold("3", "STOP is always taken", stopped && ack?.status === "DONE");
    }
  }

  #remember(order: Order, ack: Answer | undefined, after: ReturnType<Examiner["look"]>): void {
    if (ack === undefined) return;
    const unfenced = order.verb === "STOP" || order.verb === "MAINTENANCE_ON";
    const taken = ack.status !== "REJECTED";
    if (taken) this.#taken.add(order.id);
    if (taken || !unfenced) this.#answers.set(order.id, { answer: ack, survivesPowerLoss: unfenced });
    if (order.verb === "START" && after.moves > this.#before.moves) this.#startsTaken.push(order);
  }

  /** To be called after each other thing that happened. */
  settle(start: StartOrder | null = null): void {
    const { monotonicMs, linked, robot, moves } = this.#bench;
    const before = this.#before;
    const after = this.look();
    hold("1", "lastSeq never falls", after.lastSeq >= before.lastSeq);
    hold("1", "nothing but a START sets it moving", start !== null || after.moves === before.moves);
    hold("8", "a robot in maintenance stands still", after.mode !== "MAINTENANCE" || after.motion === "STOPPED");
    hold("5", "no command acts twice", new Set(moves).size === moves.length);
    if (after.firmware !== before.firmware) {
      this.installed += 1;
      hold("13", "only what was downloaded whole comes to run", this.#whole.has(after.firmware));
    }
    const isUpdating = ["DOWNLOADING", "INSTALLING"].includes(robot.update?.phase ?? "");
    hold("13", "a robot that takes new firmware stands still", !isUpdating || after.motion === "STOPPED");
    if (start !== null && after.moves > before.moves) this.#begun = { atMs: monotonicMs, order: start };
    this.#unlinkedAtMs = linked ? null : (this.#unlinkedAtMs ?? monotonicMs);
    if (robot.motion === "MOVING") {
      hold(
        "4",
        "it moves only in a run that a START began",
        this.#begun !== null && robot.runId === this.#begun.order.runId,
      );
      const lastsMs = monotonicMs - (this.#begun?.atMs ?? 0);
      hold("4", "no run lasts longer than it may", lastsMs < (this.#begun?.order.maxDurationS ?? 0) * 1000);
      hold(
        "4",
        "it stops without its broker",
        this.#unlinkedAtMs === null || monotonicMs - this.#unlinkedAtMs < LINK_LOSS_MS,
      );
    }
    this.#hearReports();
    this.#before = after;
  }

  /** A power loss: all stands still, the lock holds, and fenced answers may be forgotten with their session. */
  powerLost(): void {
    const after = this.look();
    hold("4", "without power nothing moves", after.motion === "STOPPED");
    hold("8", "maintenance survives power loss", after.mode === this.#before.mode);
    for (const [id, { survivesPowerLoss }] of this.#answers) {
      if (survivesPowerLoss) continue;
      this.#answers.delete(id);
      this.#taken.delete(id);
    }
    this.settle();
  }

  #hearReports(): void {
    const said: readonly Outgoing[] = this.#bench.said.slice(this.#heard);
    this.#heard = this.#bench.said.length;
    let last = -1;
    for (const state of statesIn(said)) {
      hold(
        "7",
        "reports count upwards in their session",
        state.seq > last && state.session === this.#bench.robot.session,
      );
      last = state.seq;
    }
    const shown = statesIn(said).at(-1);
    if (shown === undefined) return;
    const { motion, mode, lastSeq, runId, session } = this.#bench.robot;
    const truth = { motion, mode, lastSeq, runId, session };
    const told = {
      motion: shown.motion,
      mode: shown.mode,
      lastSeq: shown.lastSeq,
      runId: shown.runId,
      session: shown.session,
    };
    hold("6", "the last state tells the truth", JSON.stringify(told) === JSON.stringify(truth));
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function hold(rule: string, what: string, holds: boolean): void {
  if (!holds) throw new Error(`protocol rule ${rule} broken: ${what}`);
}

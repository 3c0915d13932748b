import type { CommandMessage, FirmwareOfferMessage } from "@suncrew/contract/devices/messages.ts";
import { isClockSet } from "../src/robot/moment.ts";
import type { Outgoing } from "../src/robot/report.ts";
import { acksIn, LINK_LOSS_MS, type RobotHarness, statesIn } from "./robot-harness.ts";

type Order = Exclude<CommandMessage, { verb: "STATUS" | "RECEIVED" }>;
type StartOrder = Extract<Order, { verb: "START" }>;
type Answer = ReturnType<typeof acksIn>[number];

/** Watches a robot and throws, naming the rule, as soon as it breaks one. It shares no code with the robot. */
export class RuleChecker {
  readonly #harness: RobotHarness;
  #before: ReturnType<RuleChecker["snapshot"]>;
  readonly #accepted = new Set<string>();
  readonly #acceptedStarts: StartOrder[] = [];
  /** Answers that must be repeated verbatim. */
  readonly #answers = new Map<string, { answer: Answer; survivesPowerLoss: boolean }>();
  #begun: { atMs: number; order: StartOrder } | null = null;
  /** Versions whose download was complete, so that they may run. */
  readonly #complete = new Set<string>();
  /** How often it started new firmware. */
  installed = 0;
  #unlinkedAtMs: number | null;
  #seen: number;

  constructor(harness: RobotHarness) {
    this.#harness = harness;
    this.#before = this.snapshot();
    this.#unlinkedAtMs = harness.linked ? null : harness.monotonicMs;
    this.#seen = harness.published.length;
  }

  snapshot() {
    const { robot, moves } = this.#harness;
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

  /** Delivers one command and checks the effect against the rules. */
  deliver(command: CommandMessage, retained: boolean): void {
    const { wallMs } = this.#harness.moment;
    const acks = acksIn(this.#harness.deliver(command, retained));
    const before = this.#before;
    const after = this.snapshot();
    if (retained || command.verb === "STATUS" || command.verb === "RECEIVED") {
      check("1", "a retained message or a request changes nothing", same(before, after) && acks.length === 0);
    } else {
      this.#checkOrder(command, wallMs, acks, after);
    }
    this.settle(command.verb === "START" && !retained ? command : null);
  }

  /** Delivers one firmware offer, and checks that it is accepted once, and only by a robot that is free. */
  offer(offer: FirmwareOfferMessage): void {
    const { moment, work, robot } = this.#harness;
    const before = this.#before;
    const download = `download ${offer.id}`;
    const wasAccepted = work.includes(download);
    const wasBusy = ["DOWNLOADING", "INSTALLING"].includes(robot.update?.phase ?? "");
    const downloads = work.length;
    this.#harness.deliverOffer(offer);
    if (work.slice(downloads).includes(download)) {
      const { wallMs } = moment;
      const inTime = isClockSet(wallMs) && wallMs < Date.parse(offer.expiresAt) && offer.session === before.session;
      check("1", "only a fresh offer is accepted", inTime);
      check("5", "an offer acts once", !wasAccepted);
      const isFree = before.motion === "STOPPED" && before.mode !== "MAINTENANCE" && !wasBusy;
      check("13", "only a stopped robot outside maintenance accepts an offer", isFree);
      check("13", "no offer is accepted with a low battery", robot.battery >= 49);
    }
    this.settle();
  }

  downloadEnds(offer: FirmwareOfferMessage, isComplete: boolean): void {
    if (isComplete) this.#complete.add(offer.version);
    this.#harness.downloadEnds(offer.id, isComplete ? null : "HASH_MISMATCH");
    this.settle();
  }

  #checkOrder(order: Order, wallMs: number, acks: readonly Answer[], after: ReturnType<RuleChecker["snapshot"]>): void {
    const before = this.#before;
    const repeated = this.#accepted.has(order.id);
    const inTime = isClockSet(wallMs) && wallMs < Date.parse(order.expiresAt);
    const fresh = order.session === before.session && inTime && order.seq > before.lastSeq && !repeated;
    const [ack] = acks;
    check("5", "every command is answered once", acks.length === 1 && ack?.id === order.id);
    const earlier = this.#answers.get(order.id)?.answer;
    if (earlier !== undefined)
      check("5", "a repeated id is answered as before", JSON.stringify(ack) === JSON.stringify(earlier));
    if (repeated) check("5", "a repeated id acts once", same(before, after));
    if (after.moves > before.moves) {
      const free = before.motion === "STOPPED" && before.mode !== "MAINTENANCE";
      check("1", "only a fresh START to a free robot sets it moving", order.verb === "START" && fresh && free);
      check("12", "a clock that is not set starts nothing", isClockSet(wallMs));
    }
    if (after.applied !== before.applied) {
      const moving = order.verb === "START" || order.verb === "SET";
      check("1", "only a fresh START or SET changes the settings", moving && fresh && before.mode !== "MAINTENANCE");
    }
    if (before.mode === "MAINTENANCE" && after.mode !== "MAINTENANCE") {
      check("8", "only a fresh MAINTENANCE_OFF ends maintenance", order.verb === "MAINTENANCE_OFF" && fresh);
    }
    if (order.verb === "STOP" && !repeated) this.#checkStop(order, ack, after);
    if (order.verb === "MAINTENANCE_ON" && !repeated) {
      const locked = after.mode === "MAINTENANCE" && after.motion === "STOPPED" && after.lastSeq >= order.seq;
      check("8", "MAINTENANCE_ON always locks and stops", locked && ack?.status === "DONE");
    }
    this.#remember(order, ack, after);
  }

  #checkStop(order: Order, ack: Answer | undefined, after: ReturnType<RuleChecker["snapshot"]>): void {
    const isSuperseded = this.#acceptedStarts.some(
      (start) => start.session === order.session && start.session === this.#before.session && start.seq > order.seq,
    );
    if (isSuperseded) {
      check(
        "3",
        "a STOP older than a START accepted in its session is dropped",
        ack?.status === "REJECTED" && same(this.#before, after),
      );
    } else {
      const stopped = after.motion === "STOPPED" && after.lastSeq >= order.seq;
      check("3", "STOP is always accepted", stopped && ack?.status === "DONE");
    }
  }

  #remember(order: Order, ack: Answer | undefined, after: ReturnType<RuleChecker["snapshot"]>): void {
    if (ack === undefined) return;
    const unfenced = order.verb === "STOP" || order.verb === "MAINTENANCE_ON";
    const accepted = ack.status !== "REJECTED";
    if (accepted) this.#accepted.add(order.id);
    if (accepted || !unfenced) this.#answers.set(order.id, { answer: ack, survivesPowerLoss: unfenced });
    if (order.verb === "START" && after.moves > this.#before.moves) this.#acceptedStarts.push(order);
  }

  /** Must be called after anything else that happens. */
  settle(start: StartOrder | null = null): void {
    const { monotonicMs, linked, robot, moves } = this.#harness;
    const before = this.#before;
    const after = this.snapshot();
    check("1", "lastSeq never falls", after.lastSeq >= before.lastSeq);
    check("1", "nothing but a START sets it moving", start !== null || after.moves === before.moves);
    check("8", "a robot in maintenance is stopped", after.mode !== "MAINTENANCE" || after.motion === "STOPPED");
    check("5", "no command acts twice", new Set(moves).size === moves.length);
    if (after.firmware !== before.firmware) {
      this.installed += 1;
      check("13", "only completely downloaded firmware runs", this.#complete.has(after.firmware));
    }
    const isUpdating = ["DOWNLOADING", "INSTALLING"].includes(robot.update?.phase ?? "");
    check("13", "a robot that is being updated is stopped", !isUpdating || after.motion === "STOPPED");
    if (start !== null && after.moves > before.moves) this.#begun = { atMs: monotonicMs, order: start };
    this.#unlinkedAtMs = linked ? null : (this.#unlinkedAtMs ?? monotonicMs);
    if (robot.motion === "MOVING") {
      check(
        "4",
        "it moves only in a run that a START began",
        this.#begun !== null && robot.runId === this.#begun.order.runId,
      );
      const lastsMs = monotonicMs - (this.#begun?.atMs ?? 0);
      check("4", "no run exceeds its maximum duration", lastsMs < (this.#begun?.order.maxDurationS ?? 0) * 1000);
      check(
        "4",
        "it stops without its broker",
        this.#unlinkedAtMs === null || monotonicMs - this.#unlinkedAtMs < LINK_LOSS_MS,
      );
    }
    this.#checkReports();
    this.#before = after;
  }

  /** A power loss: nothing moves, the lock holds, and fenced answers may be forgotten with their session. */
  powerLost(): void {
    const after = this.snapshot();
    check("4", "without power nothing moves", after.motion === "STOPPED");
    check("8", "maintenance survives power loss", after.mode === this.#before.mode);
    for (const [id, { survivesPowerLoss }] of this.#answers) {
      if (survivesPowerLoss) continue;
      this.#answers.delete(id);
      this.#accepted.delete(id);
    }
    this.settle();
  }

  #checkReports(): void {
    const published: readonly Outgoing[] = this.#harness.published.slice(this.#seen);
    this.#seen = this.#harness.published.length;
    let last = -1;
    for (const state of statesIn(published)) {
      check(
        "7",
        "reports count upwards in their session",
        state.seq > last && state.session === this.#harness.robot.session,
      );
      last = state.seq;
    }
    const shown = statesIn(published).at(-1);
    if (shown === undefined) return;
    const { motion, mode, lastSeq, runId, session } = this.#harness.robot;
    const truth = { motion, mode, lastSeq, runId, session };
    const reported = {
      motion: shown.motion,
      mode: shown.mode,
      lastSeq: shown.lastSeq,
      runId: shown.runId,
      session: shown.session,
    };
    check("6", "the last state tells the truth", JSON.stringify(reported) === JSON.stringify(truth));
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function check(rule: string, requirement: string, holds: boolean): void {
  if (!holds) throw new Error(`protocol rule ${rule} broken: ${requirement}`);
}

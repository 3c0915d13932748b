import {
  type AcceptedOf,
  acceptOrders,
  claimAll,
  type Command,
  type Order,
  readOpenCommands,
  settleDue,
} from "../../features/commands/public.ts";
import { ingest } from "../../features/devices/public.ts";
import type { Db } from "../../platform/database/database.ts";
import type { PastRobot } from "./past-robot.ts";

interface PlannedEvent {
  readonly atMs: number;
  readonly act: (at: Date) => Promise<void> | void;
}

/** Plays events in the order of their time; an event may plan more. */
export class Timeline {
  /** Sorted by time, then in the order of planning. */
  readonly #planned: PlannedEvent[] = [];
  #next = 0;

  plan(at: Date, act: PlannedEvent["act"]): void {
    const atMs = at.getTime();
    let low = this.#next;
    let high = this.#planned.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#planned[middle]?.atMs ?? 0) <= atMs) low = middle + 1;
      else high = middle;
    }
    this.#planned.splice(low, 0, { atMs, act });
  }

  async playUntil(end: Date): Promise<void> {
    for (;;) {
      const next = this.#planned[this.#next];
      if (next === undefined || next.atMs >= end.getTime()) return;
      this.#next += 1;
      await next.act(new Date(next.atMs));
      // Past events are dropped in batches, so that planning stays cheap.
      if (this.#next < 512) continue;
      this.#planned.splice(0, this.#next);
      this.#next = 0;
    }
  }
}

export const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The id of the imaginary server that did all this. */
export const PAST_SERVER = "00000000-0000-4000-8000-000000000001";
/** From the order to the robot's confirmation. */
const ANSWER_DELAY_MS = 700;
/** Shortly after `settle_by`, when the server settles what is overdue. */
const SETTLE_DELAY_MS = 8_500;

export type Reaction = "accepts" | "rejects" | "silent";

/** The demo's robots in the past, and the server's own code, which records what they and people do. */
export class PastFleet {
  readonly db: Db;
  readonly timeline: Timeline;
  readonly #robots: ReadonlyMap<number, PastRobot>;

  constructor(db: Db, timeline: Timeline, robots: readonly PastRobot[]) {
    this.db = db;
    this.timeline = timeline;
    this.#robots = new Map(robots.map((robot) => [robot.of.id, robot]));
  }

  get robots(): readonly PastRobot[] {
    return [...this.#robots.values()];
  }

  robot(robotId: number): PastRobot | undefined {
    return this.#robots.get(robotId);
  }

  bySerial(serial: string): PastRobot | undefined {
    return this.robots.find(({ of }) => of.serial === serial);
  }

  /** Stores the robots' pending messages, as the bridge does. */
  async store(now: Date): Promise<void> {
    const batch = this.robots.flatMap((robot) => {
      const messages = robot.takeMessages();
      return messages.length === 0 ? [] : [{ serial: robot.of.serial, messages }];
    });
    if (batch.length > 0) await ingest(this.db, batch, { now: () => now });
  }

  /** A START or STOP; a START needs a robot that has just reported (protocol rule 2). */
  async order(siteId: number, robotIds: readonly number[], order: Order, at: Date): Promise<AcceptedOf[]> {
    if (order.verb === "START") await this.report(robotIds, at);
    const now = after(at, SECOND_MS);
    return this.db.transaction().execute((tx) => acceptOrders(tx, siteId, robotIds, order, now));
  }

  async report(robotIds: readonly number[], at: Date): Promise<void> {
    for (const robotId of robotIds) this.robot(robotId)?.report(at);
    await this.store(after(at, SECOND_MS / 2));
  }

  /** Delivers open commands to their robots, which react as `reactionOf` says; returns those that were accepted. */
  async deliver(
    robotIds: readonly number[],
    at: Date,
    reactionOf: (robot: PastRobot) => Reaction = () => "accepts",
  ): Promise<Command[]> {
    const accepted: Command[] = [];
    const shownAt = after(at, ANSWER_DELAY_MS);
    for (const command of await readOpenCommands(this.db, robotIds)) {
      const robot = this.robot(command.robot_id);
      if (robot === undefined || !robot.online) continue;
      // A Stop always works.
      const reaction = command.verb === "START" ? reactionOf(robot) : "accepts";
      if (reaction === "rejects") robot.reject(command, "BATTERY_LOW", shownAt);
      if (reaction === "silent") await this.#failSilently(command, at);
      if (reaction !== "accepts") continue;
      robot.accept(command, shownAt);
      accepted.push(command);
    }
    await this.store(after(shownAt, 300));
    return accepted;
  }

  /** A START without an answer: it fails, and the Stop that follows is confirmed. */
  async #failSilently(command: Command, at: Date): Promise<void> {
    await claimAll(this.db, [command.id], PAST_SERVER, at);
    this.timeline.plan(after(at, SETTLE_DELAY_MS), async (now) => {
      await settleDue(this.db, [command.robot_id], { now: () => now }, { skipLocked: false });
      await this.deliver([command.robot_id], after(now, SECOND_MS));
    });
  }
}

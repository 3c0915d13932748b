import {
  type AcceptedOf,
  acceptOrders,
  claimOnce,
  type Command,
  type Order,
  readOpenCommands,
  settleDue,
} from "../../features/commands/public.ts";
import { ingest } from "../../features/devices/public.ts";
import type { Db } from "../../platform/database/database.ts";
import type { PastRobot } from "./past-robot.ts";

interface Planned {
  readonly atMs: number;
  readonly act: (at: Date) => Promise<void> | void;
}

/** What happens, in the order of its time; what happens may plan more. */
export class Timeline {
  /** By time; of the same time, as they were planned. */
  readonly #planned: Planned[] = [];
  #next = 0;

  plan(at: Date, act: Planned["act"]): void {
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

  /** Lets everything before `end` happen; the rest never does. */
  async playUntil(end: Date): Promise<void> {
    for (;;) {
      const next = this.#planned[this.#next];
      if (next === undefined || next.atMs >= end.getTime()) return;
      this.#next += 1;
      await next.act(new Date(next.atMs));
      // What is over is dropped now and then, so that planning stays cheap.
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

/** The server that did all this; only its name is left of it. */
export const SERVER_OF_PAST = "00000000-0000-4000-8000-000000000001";
/** From the order to the robot's showing it. */
const ANSWERS_AFTER_MS = 700;
/** A little after `settle_by`, when the server looks for what is due. */
const GIVEN_UP_AFTER_MS = 8_500;

/** What a robot does with a command. */
export type Reaction = "takes" | "rejects" | "silent";

/** The demo's robots in their past, and the server's own code that records what they and people do. */
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

  /** Stores what the robots have told so far, as the bridge does. */
  async store(now: Date): Promise<void> {
    const batch = this.robots.flatMap((robot) => {
      const messages = robot.takeTold();
      return messages.length === 0 ? [] : [{ serial: robot.of.serial, messages }];
    });
    if (batch.length > 0) await ingest(this.db, batch, { now: () => now });
  }

  /** A START or STOP by whoever; a START wants a robot that has just reported (protocol rule 2). */
  async order(siteId: number, robotIds: readonly number[], order: Order, at: Date): Promise<AcceptedOf[]> {
    if (order.verb === "START") await this.report(robotIds, at);
    const now = after(at, SECOND_MS);
    return this.db.transaction().execute((tx) => acceptOrders(tx, siteId, robotIds, order, now));
  }

  async report(robotIds: readonly number[], at: Date): Promise<void> {
    for (const robotId of robotIds) this.robot(robotId)?.report(at);
    await this.store(after(at, SECOND_MS / 2));
  }

  /** Brings open commands to their robots, which do as `reaction` says; answers those that were taken. */
  async deliver(
    robotIds: readonly number[],
    at: Date,
    reactionOf: (robot: PastRobot) => Reaction = () => "takes",
  ): Promise<Command[]> {
    const taken: Command[] = [];
    const shownAt = after(at, ANSWERS_AFTER_MS);
    for (const command of await readOpenCommands(this.db, robotIds)) {
      const robot = this.robot(command.robot_id);
      if (robot === undefined || !robot.online) continue;
      // Nobody keeps a robot from stopping.
      const reaction = command.verb === "START" ? reactionOf(robot) : "takes";
      if (reaction === "rejects") robot.reject(command, "BATTERY_LOW", shownAt);
      if (reaction === "silent") await this.#sendInVain(command, at);
      if (reaction !== "takes") continue;
      robot.take(command, shownAt);
      taken.push(command);
    }
    await this.store(after(shownAt, 300));
    return taken;
  }

  /** Nothing is heard of a START: it has failed, and the Stop that follows is confirmed. */
  async #sendInVain(command: Command, at: Date): Promise<void> {
    await claimOnce(this.db, command.id, SERVER_OF_PAST, at);
    this.timeline.plan(after(at, GIVEN_UP_AFTER_MS), async (now) => {
      await settleDue(this.db, [command.robot_id], { now: () => now }, { skipLocked: false });
      await this.deliver([command.robot_id], after(now, SECOND_MS));
    });
  }
}

import { setTimeout as pause } from "node:timers/promises";
import { sendCommand } from "@suncrew/contract/commands/commands.ts";
import { createGroup } from "@suncrew/contract/groups/groups.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import { createSchedule, updateSchedule } from "@suncrew/contract/schedules/schedules.ts";
import type { Answer, Question } from "../production/caller.ts";
import type { KnownRobot } from "../production/fleet.ts";
import { localTime } from "../production/schedule-load.ts";
import type { TestSystem } from "../production/test-system.ts";

const GROUPS = 10;
/** Per group; their runs must begin. */
const TO_BEGIN = 10;
/** Per group; a person stops or locks these after the due time, and they must not begin. */
const HANDLED = 2;
/** As many robots as this take part. */
export const PLANNED_ROBOTS = GROUPS * (TO_BEGIN + HANDLED);
/** These are stopped or locked once the fault is over, all others while it lasts. */
const HANDLED_AFTERWARDS = 2;
/** A person comes this long after the due time at the earliest, and this long before the end of the fault. */
const AFTER_DUE_MS = 500;
const BEFORE_END_MS = 2_000;
const HANDLED_WITHIN_MS = 60_000;
const RETRY_MS = 250;

/** A group, its schedule, and when that is due this time, in Unix milliseconds. */
interface Planned {
  readonly id: number;
  readonly robots: readonly KnownRobot[];
  scheduleId: number | null;
  dueMs: number;
}

/** One robot's run of this time. */
export interface PlannedRun {
  readonly robot: KnownRobot;
  readonly scheduleId: number;
  readonly dueMs: number;
  readonly endMs: number;
}

/** Groups whose runs fall due around a fault, and people who stop or lock some of their robots in the meantime. */
export class PlannedRuns {
  readonly #system: TestSystem;
  readonly #groups: readonly Planned[];
  #minutes = 1;
  /** Serial numbers of the robots that a person stopped or locked, and when that was accepted, in Unix milliseconds. */
  readonly letGo = new Map<string, number>();
  readonly #locked: number[] = [];
  #handling: Promise<unknown> = Promise.resolve();

  private constructor(system: TestSystem, groups: readonly Planned[]) {
    this.#system = system;
    this.#groups = groups;
  }

  static async prepare(system: TestSystem, robots: readonly KnownRobot[]): Promise<PlannedRuns> {
    const groups: Planned[] = [];
    const each = TO_BEGIN + HANDLED;
    for (let nth = 0; nth < GROUPS; nth += 1) {
      const members = robots.slice(nth * each, (nth + 1) * each);
      const ids = members.map(({ id }) => id);
      const body = { site_id: members[0]?.siteId, group_name: `Rows ${nth + 1}`, robot_ids: ids };
      const { groupId } = createGroup.response.parse((await ask(system, createGroup, { body }))?.body);
      groups.push({ id: groupId, robots: members, scheduleId: null, dueMs: 0 });
    }
    return new PlannedRuns(system, groups);
  }

  /** Runs that must begin. */
  get toBegin(): PlannedRun[] {
    return this.#runs(0, TO_BEGIN);
  }

  /** Runs of robots that a person stops or locks. */
  get handled(): PlannedRun[] {
    return this.#runs(TO_BEGIN, TO_BEGIN + HANDLED);
  }

  /** Sets the next time of every group, evenly from the first to the last, in whole seconds. */
  async store(firstMs: number, lastMs: number, minutes: number): Promise<void> {
    this.#minutes = minutes;
    this.letGo.clear();
    await Promise.all(
      this.#groups.map(async (group, index) => {
        const wantedMs = firstMs + (index * (lastMs - firstMs)) / (this.#groups.length - 1);
        group.dueMs = Math.ceil(wantedMs / 1_000) * 1_000;
        await this.#store(group);
      }),
    );
    if (Date.now() > firstMs) throw new Error("Schedules took longer to store than there was time.");
  }

  /**
   * People stop the robots that must not begin, and lock one of them, the `locked`th, while the fault lasts; each call
   * is repeated until it is accepted.
   */
  handle(endsMs: number, locked: number): void {
    const during = this.handled.slice(0, -HANDLED_AFTERWARDS);
    this.#handling = Promise.all(
      during.map(async (run, index) => {
        await pause(Math.max(0, Math.max(run.dueMs + AFTER_DUE_MS, endsMs - BEFORE_END_MS) - Date.now()));
        await this.#stopOrLock(run, index === locked % during.length);
      }),
    );
  }

  /** The same after the fault, for those that are left; resolves when all have been accepted or given up. */
  async handleOthers(): Promise<void> {
    const others = this.handled.slice(-HANDLED_AFTERWARDS);
    await Promise.all([
      this.#handling,
      ...others.map(async (run) => {
        await pause(Math.max(0, run.dueMs + AFTER_DUE_MS - Date.now()));
        await this.#stopOrLock(run, false);
      }),
    ]);
  }

  /** Releases what was locked, so that the next fault finds it as it was. */
  async release(): Promise<void> {
    for (const robotId of this.#locked.splice(0)) {
      const answer = await ask(this.#system, robotMaintenance, { params: { robotId }, body: { enabled: false } });
      if (answer?.status !== 200) throw new Error(`A release was answered ${JSON.stringify(answer)}`);
    }
  }

  #runs(from: number, to: number): PlannedRun[] {
    return this.#groups.flatMap(({ robots, scheduleId, dueMs }) =>
      robots.slice(from, to).map((robot) => {
        return { robot, scheduleId: scheduleId ?? 0, dueMs, endMs: dueMs + this.#minutes * 60_000 };
      }),
    );
  }

  async #store(group: Planned): Promise<void> {
    const body = {
      site_id: group.robots[0]?.siteId,
      group_id: group.id,
      action: "START",
      start_time: localTime(group.dueMs, this.#system.timezone),
      duration_minutes: this.#minutes,
      frequency: "ONCE",
      status: "ACTIVE",
    };
    const answer =
      group.scheduleId === null
        ? await ask(this.#system, createSchedule, { body })
        : await ask(this.#system, updateSchedule, { params: { scheduleId: group.scheduleId }, body });
    if (answer === null || answer.status >= 300) throw new Error(`A schedule was refused: ${JSON.stringify(answer)}`);
    group.scheduleId ??= createSchedule.response.parse(answer.body).scheduleId;
  }

  async #stopOrLock({ robot }: PlannedRun, lock: boolean): Promise<void> {
    const { id: robotObjectId, serial: robotId, siteId } = robot;
    let tries = 0;
    for (const endMs = Date.now() + HANDLED_WITHIN_MS; Date.now() < endMs; await pause(RETRY_MS)) {
      const answer = lock
        ? await ask(this.#system, robotMaintenance, {
            params: { robotId: robotObjectId },
            body: { enabled: true, reason: "Trial" },
          })
        : await ask(this.#system, sendCommand, { body: { robotId, robotObjectId, siteId, command: "STOP" } });
      tries += 1;
      // 504: stored, and pending until the robot shows it. 409: locked already, by a try whose answer was lost.
      const isLocked = lock && tries > 1 && answer?.status === 409;
      if (!isLocked && answer?.status !== 200 && answer?.status !== 504) continue;
      this.letGo.set(robotId, Date.now());
      if (lock) this.#locked.push(robotObjectId);
      return;
    }
  }
}

/** A call to a server that answers; null if none did. */
export function ask(
  { places, caller, random }: TestSystem,
  route: RouteSpec,
  question: Question,
): Promise<Answer | null> {
  const place = random.pick(places.filter(({ answering, frozen }) => answering !== null && !frozen));
  return place === undefined ? Promise.resolve(null) : caller.call(place, route, question);
}

import { setTimeout as pause } from "node:timers/promises";
import { siteStop } from "@suncrew/contract/groups/groups.ts";
import type { KnownRobot, Motion } from "../production/fleet.ts";
import { makeGroup, startAll } from "../production/stops-without-database.ts";
import type { TestSystem } from "../production/test-system.ts";
import { until } from "../production/wait-and-random.ts";
import type { Fault } from "./faults.ts";
import { type Call, People, type Press } from "./people.ts";
import { ask, PLANNED_ROBOTS, type PlannedRun, PlannedRuns } from "./planned-runs.ts";

/** Each has a person who starts and stops it all the time. */
const PRESSED_ROBOTS = 40;
/** These move before the fault begins, and each is stopped by a person while it lasts. */
const MOVING_ROBOTS = 100;
/** These stand until the part is back; then one after the other is started, until a START works. */
const STANDING_ROBOTS = 40;
export const ROBOTS = PLANNED_ROBOTS + PRESSED_ROBOTS + MOVING_ROBOTS + STANDING_ROBOTS;

/** Schedules are stored this long before the fault. */
const AHEAD_MS = 6_000;
/** The first runs are due this long before the fault, the last this long after it. */
const DUE_AROUND_MS = 2_000;
/** Runs are due over at least this long, even if the fault is over at once. */
const DUE_OVER_MS = 8_000;
export const BEGUN_WITHIN_MS = 60_000;
/** Robots that must not begin are watched for this long after the others have begun. */
const LOOK_ON_MS = 6_000;
/** From a run's planned end until its robot stands: it may have accepted its START 5 s after the server counted. */
export const STOP_LIMIT_MS = 6_000;
/** Planned runs last at least this much longer than the fault: robots come back over half a minute. */
const RETURN_MS = 40_000;
const QUIET_MS = 90_000;

/** What was seen while one fault lasted, in Unix milliseconds. */
export interface Observation {
  readonly fault: Fault;
  readonly fromMs: number;
  readonly beganMs: number;
  readonly returnMs: number;
  /** When the first robot was connected to the broker after that: robots pause longer and longer between their tries. */
  readonly reachableMs: number;
  readonly untilMs: number;
  readonly presses: readonly Press[];
  readonly reads: readonly Call[];
  readonly toBegin: readonly PlannedRun[];
  readonly handled: readonly PlannedRun[];
  readonly letGo: ReadonlyMap<string, number>;
  readonly motions: readonly Motion[];
  /** Whether the planned ends were waited for. */
  readonly ended: boolean;
}

/** Three hundred robots with their people and schedules, on which one fault after the other is tried. */
export class Trial {
  readonly #system: TestSystem;
  readonly #runs: PlannedRuns;
  readonly #pressed: readonly KnownRobot[];
  readonly #moving: TestSystem;
  readonly #groupId: number;
  #nth = 0;

  private constructor(system: TestSystem, runs: PlannedRuns, moving: TestSystem, groupId: number) {
    this.#system = system;
    this.#runs = runs;
    this.#pressed = system.robots.slice(PLANNED_ROBOTS, PLANNED_ROBOTS + PRESSED_ROBOTS);
    this.#moving = moving;
    this.#groupId = groupId;
  }

  static async prepare(system: TestSystem): Promise<Trial> {
    const moving = { ...system, robots: system.robots.slice(PLANNED_ROBOTS + PRESSED_ROBOTS, -STANDING_ROBOTS) };
    const runs = await PlannedRuns.prepare(system, system.robots.slice(0, PLANNED_ROBOTS));
    return new Trial(system, runs, moving, await makeGroup(moving));
  }

  /** Tries one fault. A short one is shorter, and its runs are stopped by a person instead of at their planned ends. */
  async run(fault: Fault, isShort: boolean): Promise<Observation> {
    const { fleet, robots } = this.#system;
    const lastsMs = (isShort ? fault.shortSeconds : fault.seconds) * 1_000;
    const minutes = isShort ? 20 : Math.ceil((lastsMs + RETURN_MS) / 60_000);
    const motionsBefore = fleet.motions.length;
    const beginsMs = Date.now() + AHEAD_MS;
    const endsMs = beginsMs + lastsMs;
    const lastDueMs = Math.max(endsMs, beginsMs + DUE_OVER_MS) + DUE_AROUND_MS;
    await this.#runs.store(beginsMs - DUE_AROUND_MS, lastDueMs, minutes);
    await startAll(this.#moving, this.#groupId);
    const fromMs = Date.now();
    const people = new People(this.#system);
    people.startAndStop(this.#pressed);
    people.read(robots[0]?.siteId ?? 0);
    await pause(Math.max(0, beginsMs - Date.now()));

    const beganMs = Date.now();
    const stopping = this.#stopMoving(people, Math.max(lastsMs, DUE_OVER_MS));
    await fault.begin();
    this.#runs.handle(endsMs, this.#nth);
    this.#nth += 1;
    await pause(Math.max(0, endsMs - Date.now()));
    await fault.end();
    const returnMs = Date.now();

    const { toBegin, handled } = this.#runs;
    const hasMoved = ({ robot, dueMs }: PlannedRun) =>
      fleet.motions.slice(motionsBefore).some(({ serial, fromMs: at }) => serial === robot.serial && at >= dueMs);
    const allBegun = until(() => toBegin.every(hasMoved), BEGUN_WITHIN_MS, "").catch(() => {});
    const standing = robots.slice(-STANDING_ROBOTS);
    const isConnected = () => standing.some(({ serial }) => fleet.truth(serial).connected);
    const reachable = until(isConnected, BEGUN_WITHIN_MS, "").then(
      () => Date.now(),
      () => Infinity,
    );
    const again = people.startUntilOneWorks(standing, BEGUN_WITHIN_MS);
    await Promise.all([this.#runs.handleOthers(), stopping, again, allBegun]);
    await pause(LOOK_ON_MS);
    await people.stop();
    const untilMs = Date.now();
    const letGo = new Map(this.#runs.letGo);
    if (!isShort) {
      const stand = () => toBegin.every(({ robot }) => fleet.truth(robot.serial).motion === "STOPPED");
      const lastEndMs = Math.max(...toBegin.map(({ endMs }) => endMs)) + STOP_LIMIT_MS;
      await until(stand, Math.max(0, lastEndMs - Date.now()), "").catch(() => {});
    }
    const motions = fleet.motions.slice(motionsBefore).map((motion) => ({ ...motion }));
    await this.#stopAll();
    return {
      fault,
      fromMs,
      beganMs,
      returnMs,
      reachableMs: await reachable,
      untilMs,
      presses: people.presses,
      reads: people.reads,
      toBegin,
      handled,
      letGo,
      motions,
      ended: !isShort,
    };
  }

  /** Each of the moving robots is stopped at some moment of this time. */
  async #stopMoving(people: People, overMs: number): Promise<void> {
    const { robots, random } = this.#moving;
    await Promise.all(
      robots.map(async (robot, nth) => {
        await pause(random.between(0, overMs));
        await people.press(robot, "STOP", nth);
      }),
    );
  }

  /** All robots are stopped, and nothing is open, before the next fault. */
  async #stopAll(): Promise<void> {
    const { db, fleet, robots } = this.#system;
    await ask(this.#system, siteStop, { body: { siteId: robots[0]?.siteId } });
    const isQuiet = async () => {
      const open = await db.selectFrom("commands").select("id").where("settled_at", "is", null).executeTakeFirst();
      const away = await db.selectFrom("robot_state").select("robot_id").where("online", "=", false).executeTakeFirst();
      const stand = robots.every(({ serial }) => fleet.truth(serial).motion === "STOPPED");
      return stand && open === undefined && away === undefined;
    };
    await until(isQuiet, QUIET_MS, "Not every robot stood");
    await this.#runs.release();
  }
}

import { lockRobots, readOpenCommands, type Requester } from "../../features/commands/public.ts";
import { acceptLock, acceptRelease } from "../../features/maintenance/public.ts";
import type { PastFleet } from "./past-fleet.ts";
import type { PastGroupPress, PastLock, PastPress } from "./past-incidents.ts";
import type { PastRobot } from "./past-robot.ts";
import type { PastRuns } from "./past-runs.ts";
import { seededRandom } from "../seeded-random.ts";
import { after, HOUR_MS, MINUTE_MS, SECOND_MS } from "./timeline.ts";

export type Person = Requester & { readonly userId: number };

/** A run by hand may last this long (the default of MANUAL_RUN_MAX_MINUTES). */
const MANUAL_MAX_S = 480 * 60;

/** What people did with single robots and groups. */
export class PastPeople {
  readonly #fleet: PastFleet;
  readonly #runs: PastRuns;
  readonly #personAt: (siteId: number) => Person;

  constructor(fleet: PastFleet, runs: PastRuns, personAt: (siteId: number) => Person) {
    this.#fleet = fleet;
    this.#runs = runs;
    this.#personAt = personAt;
  }

  /** Start of one robot, refused where it cannot be; ended by a person, or by the robot when it is done. */
  async press(press: PastPress, robot: PastRobot, at: Date): Promise<void> {
    const { id, siteId } = robot.of;
    const by = this.#personAt(siteId);
    const order = { verb: "START", by, mode: robot.of.mode, maxDurationS: MANUAL_MAX_S } as const;
    await this.#fleet.order(siteId, [id], order, at);
    const taken = await this.#fleet.deliver([id], after(at, 1_200));
    if (taken.length === 0) return;
    const minutes = press.minutes ?? 40 + Math.floor(seededRandom(`${press.serial} ${press.daysAgo}`)() * 50);
    this.#fleet.timeline.plan(after(at, minutes * MINUTE_MS), async (now) => {
      if (!robot.isMoving) return;
      if (press.minutes !== null) return this.#runs.stop(robot, now);
      robot.endRun("FINISHED", now);
      await this.#fleet.report([id], now);
    });
  }

  async pressGroup({ minutes }: PastGroupPress, robots: readonly PastRobot[], at: Date): Promise<void> {
    await this.#orderAll("START", robots, at);
    this.#fleet.timeline.plan(after(at, minutes * MINUTE_MS), (now) => this.#orderAll("STOP", robots, now));
  }

  async #orderAll(verb: "START" | "STOP", robots: readonly PastRobot[], at: Date): Promise<void> {
    const [first] = robots;
    if (first === undefined) return;
    const ids = robots.map(({ of }) => of.id);
    const by = { ...this.#personAt(first.of.siteId), actionType: "GROUP" } as const;
    const order = { verb, by, mode: "AUTO", maxDurationS: MANUAL_MAX_S } as const;
    await this.#fleet.order(first.of.siteId, ids, order, at);
    await this.#fleet.deliver(ids, after(at, 1_200));
  }

  /** Locks a robot for maintenance, and releases it when the work is done. */
  async lock({ reason, hours }: PastLock, robot: PastRobot, at: Date): Promise<void> {
    await this.#maintain(robot, reason, at);
    this.#fleet.timeline.plan(after(at, hours * HOUR_MS), (now) => this.#maintain(robot, null, now));
  }

  /** A reason locks, null releases. */
  async #maintain(robot: PastRobot, reason: string | null, at: Date): Promise<void> {
    const { id, siteId } = robot.of;
    await this.#fleet.report([id], at);
    const now = after(at, SECOND_MS);
    const by = this.#personAt(siteId);
    await this.#fleet.db.transaction().execute(async (tx) => {
      const locked = (await lockRobots(tx, [id])).get(id);
      if (locked === undefined) return;
      const open = await readOpenCommands(tx, [id]);
      if (reason === null) await acceptRelease(tx, locked, open, by, now);
      else await acceptLock(tx, locked, open, by, reason, now);
    });
    await this.#fleet.deliver([id], after(now, 200));
  }
}

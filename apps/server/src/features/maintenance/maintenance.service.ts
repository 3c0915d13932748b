import type { ManyRobotsResponse, RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { robotMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import type { Tx } from "../../platform/database/database.ts";
import { decide } from "../../platform/database/decide.ts";
import { HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Parts } from "../../platform/parts.ts";
import { Together } from "../../platform/together.ts";
import type { Viewer } from "../../platform/viewer.ts";
import { type Commands, findRobotOf, type LockedRobot, lockRobots, readOpenCommands } from "../commands/public.ts";
import { findGroup, manyRobotsAnswer, readMembers, requireRobotsAt } from "../groups/public.ts";
import { acceptLocks, type Locker, type MaintenanceAccepted } from "./accept-lock.ts";
import { acceptReleases } from "./accept-release.ts";
import { maintenanceSentences } from "./maintenance-sentences.ts";

type MaintenanceBody = BodyOf<typeof robotMaintenance>;
type Answer = ResponseOf<typeof robotMaintenance>;
type Started = NonNullable<Answer["start"]>;
type Starts = Together<number, RobotResult>;

/** The console gives a call up after 10 s (§9), so a start that a release is followed by is not waited for longer. */
const ANSWER_WITHIN_MS = 9_000;

const lockWords = { done: "locked for maintenance", nobody: "The group has no robot to lock.", kept: "lock" };
const releaseWords = { done: "released", nobody: "The group has no robot to release.", kept: "lock" };

/** Locks robots for maintenance and releases them, as the robots confirm it. */
export class Maintenance {
  readonly #parts: Parts;
  readonly #commands: Commands;

  constructor(parts: Parts, commands: Commands) {
    this.#parts = parts;
    this.#commands = commands;
  }

  /** Throws 404, 409 and 502 to 504; a lock that the robot has not confirmed is a success with `confirmed` false. */
  async setRobot(viewer: Viewer, robotId: number, body: MaintenanceBody): Promise<Answer> {
    const startedAt = this.#parts.clock.now();
    const by = lockerOf(viewer, "MANUAL");
    const [decided] = await decide(this.#parts.db, async (tx) => {
      const { siteId } = await findRobotOf(viewer, tx, robotId);
      return this.#accept(tx, siteId, [robotId], by, body);
    });
    if (decided === undefined) throw notFound("Robot");
    const { robot, accepted } = decided;
    if (accepted.kind === "refused") throw accepted.error;
    const { message, confirmed } = await this.#settled(robot, accepted, body);
    const starts = this.#starts(viewer, robot.site_id, by);
    const start = body.start_after ? await this.#start(starts, robot, startedAt) : null;
    return { success: true, message, confirmed, start };
  }

  /** The same for every member of a group at once. Throws 404; what became of each robot is in the answer. */
  async setGroup(viewer: Viewer, groupId: number, body: MaintenanceBody): Promise<ManyRobotsResponse> {
    const startedAt = this.#parts.clock.now();
    const by = lockerOf(viewer, "GROUP");
    const { site_id } = await findGroup(viewer, this.#parts.db, groupId);
    const all = await decide(this.#parts.db, async (tx) => {
      await findGroup(viewer, tx, groupId);
      return this.#accept(tx, site_id, await readMembers(viewer, tx, groupId), by, body);
    });
    const starts = this.#starts(viewer, site_id, by);
    const results = await Promise.all(
      all.map(async ({ robot, accepted }): Promise<RobotResult> => {
        const of = { robotId: robot.serial_number, robotObjectId: robot.id };
        if (accepted.kind === "refused") {
          return { ...of, outcome: skippedOrFailed(accepted.error), message: accepted.error.message, pending: false };
        }
        return { ...of, ...(await this.#resultOf(starts, robot, accepted, body, startedAt)) };
      }),
    );
    const words = body.start_after ? { ...releaseWords, done: "released and started" } : releaseWords;
    return manyRobotsAnswer(results, body.enabled ? lockWords : words);
  }

  async #accept(
    tx: Tx,
    siteId: number,
    robotIds: readonly number[],
    by: Locker,
    body: MaintenanceBody,
  ): Promise<{ readonly robot: LockedRobot; readonly accepted: MaintenanceAccepted }[]> {
    const robots = await lockRobots(tx, robotIds);
    const open = Map.groupBy(await readOpenCommands(tx, robotIds), (command) => command.robot_id);
    const asked = robotIds.flatMap((robotId) => {
      const robot = robots.get(robotId);
      // Deleted, or moved to another site, while this call waited for the locks.
      if (robot === undefined || robot.deleted_at !== null || robot.site_id !== siteId) return [];
      return [{ robot, open: open.get(robotId) ?? [] }];
    });
    const now = this.#parts.clock.now();
    const accepted = body.enabled
      ? await acceptLocks(tx, asked, by, body.reason, now)
      : await acceptReleases(tx, asked, by, now);
    return asked.flatMap(({ robot }) => {
      const mine = accepted.get(robot.id);
      return mine ? [{ robot, accepted: mine }] : [];
    });
  }

  /** Once the robot showed it, or will not in time. Throws what is not a success; a lock stands in every case. */
  async #settled(
    robot: LockedRobot,
    { commandId, robotAway }: Extract<MaintenanceAccepted, { kind: "stored" }>,
    { enabled }: MaintenanceBody,
  ): Promise<Pick<Answer, "message" | "confirmed">> {
    try {
      const { message } = await this.#commands.sendStored(commandId, robotAway);
      return { message: enabled ? maintenanceSentences.locked(robot.serial_number) : message, confirmed: true };
    } catch (error) {
      if (enabled && error instanceof HttpError && error.extra.pending === true) {
        return { message: error.message, confirmed: false };
      }
      throw error;
    }
  }

  async #resultOf(
    starts: Starts,
    robot: LockedRobot,
    accepted: Extract<MaintenanceAccepted, { kind: "stored" }>,
    body: MaintenanceBody,
    startedAt: Date,
  ): Promise<Pick<RobotResult, "outcome" | "message" | "pending">> {
    try {
      const { message, confirmed } = await this.#settled(robot, accepted, body);
      if (!body.start_after) return { outcome: "SUCCESS", message, pending: !confirmed };
      const start = await this.#start(starts, robot, startedAt);
      return start.success
        ? { outcome: "SUCCESS", message: maintenanceSentences.releasedAndStarted(robot.serial_number), pending: false }
        : { outcome: "FAILED", message: maintenanceSentences.releasedNotStarted(start.message), pending: false };
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return { outcome: "FAILED", message: error.message, pending: false };
    }
  }

  /** The start that was asked for with the release, like any press of Start; it undoes no release. */
  async #start(starts: Starts, robot: LockedRobot, startedAt: Date): Promise<Started> {
    const { clock, log } = this.#parts;
    const { promise: late, resolve } = Promise.withResolvers<Started>();
    const unknown = { success: false, message: maintenanceSentences.startUnknown(robot.serial_number) };
    const leftMs = Math.max(0, startedAt.getTime() + ANSWER_WITHIN_MS - clock.now().getTime());
    const cancel = clock.after(leftMs, () => resolve(unknown));
    const started = starts.ask(robot.id).then(
      (result) => ({
        success: result?.outcome === "SUCCESS",
        message: result?.message ?? maintenanceSentences.gone(robot.serial_number),
      }),
      (error: unknown) => {
        if (error instanceof HttpError) return { success: false, message: error.message };
        log.error({ error, robotId: robot.id }, "starting a released robot failed");
        return unknown;
      },
    );
    try {
      return await Promise.race([late, started]);
    } finally {
      cancel();
    }
  }

  /** Starts robots as they are released: those released at the same moment by one order. */
  #starts(viewer: Viewer, siteId: number, by: Locker): Starts {
    return new Together(async (robotIds) => {
      const choose = async (tx: Tx) => {
        await requireRobotsAt(viewer, tx, siteId, robotIds);
        return { siteId, robotIds };
      };
      const results = await this.#commands.sendMany(choose, { verb: "START", mode: "AUTO", by });
      return new Map(results.map((result) => [result.robotObjectId, result]));
    });
  }
}

function lockerOf(viewer: Viewer, actionType: Locker["actionType"]): Locker {
  return { userId: viewer.userId, name: viewer.name, actionType };
}

/** What is so already, or may not be, is skipped; a robot that is away has failed. */
function skippedOrFailed({ status }: HttpError): RobotResult["outcome"] {
  return status === 504 ? "FAILED" : "SKIPPED";
}

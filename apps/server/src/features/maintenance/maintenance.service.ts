import { nested } from "@suncrew/contract/http/coded-text.ts";
import { outcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import type { ManyRobotsResponse, RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import type { robotMaintenance, robotsMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import pLimit from "p-limit";
import { BatchLoader } from "../../platform/batch-loader.ts";
import { withTimeout } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import {
  type Accepted,
  auditCommands,
  type Commands,
  decideEach,
  findRobotOf,
  FirstSeen,
  givenBy,
  type BusyRobot,
  type LockedRobot,
  type LockOptions,
  lockTargets,
  type Press,
  RESULT_UNKNOWN,
  resultsOf,
} from "../commands/public.ts";
import {
  auditNoRobots,
  findGroup,
  findRobots,
  manyRobotsAnswer,
  readMembers,
  requireRobotsAt,
} from "../groups/public.ts";
import { acceptLocks, acceptReleases, type Locker, maintenanceMessages } from "./accept-locks.ts";

type MaintenanceBody = BodyOf<typeof robotMaintenance>;
type Answer = ResponseOf<typeof robotMaintenance>;
type Result = Pick<RobotResult, "outcome" | "message" | "pending">;

interface Decided {
  readonly robot: LockedRobot;
  readonly accepted: Accepted;
  /** The number of the robot's newest command when the call arrived. */
  readonly seenSeq: number;
}

const lockWording = { done: "locked for maintenance", nobody: "The group has no robot to lock.", kept: "lock" };
const releaseWording = { done: "released", nobody: "The group has no robot to release.", kept: "lock" };

function wordingOf(body: MaintenanceBody) {
  if (body.enabled) return lockWording;
  return body.start_after ? { ...releaseWording, done: "released and started" } : releaseWording;
}

/** At so many sites at a time: each has a transaction, and other commands need connections too. */
const MAX_CONCURRENT_SITES = 4;

/** Locks robots for maintenance and releases them, as the robots confirm it. */
export class Maintenance {
  readonly #deps: Dependencies;
  readonly #commands: Commands;

  constructor(deps: Dependencies, commands: Commands) {
    this.#deps = deps;
    this.#commands = commands;
  }

  /** Throws 404, 409 and 502 to 504; a lock that the robot has not confirmed is a success with `confirmed` false. */
  async setRobot(viewer: Viewer, robotId: number, body: MaintenanceBody, press: Press | null): Promise<Answer> {
    const startedAt = this.#deps.clock.now();
    const by = lockerOf(viewer, "MANUAL", press);
    const seen = new FirstSeen();
    const [decided] = await transactionWithRetry(this.#deps.db, async (tx) => {
      const { siteId, lastSeq } = await findRobotOf(viewer, tx, robotId);
      seen.note(robotId, lastSeq);
      return this.#accept(tx, siteId, [robotId], by, body, { seen });
    });
    if (decided === undefined) throw notFound("Robot");
    const { robot, accepted, seenSeq } = decided;
    if (accepted.kind === "refused") throw accepted.error;
    const { message, confirmed } = await this.#settled(robot, accepted, body);
    if (!body.start_after) return { success: true, message, confirmed, start: null };
    const start = await this.#starts(viewer, robot.site_id, by, startedAt).start(robot, seenSeq);
    return { success: true, message, confirmed, start: { success: start.kind === "started", message: start.message } };
  }

  /** The same for all members of a group. Throws 404; the answer has each robot's outcome. */
  async setGroup(
    viewer: Viewer,
    groupId: number,
    body: MaintenanceBody,
    press: Press | null,
  ): Promise<ManyRobotsResponse> {
    const { db, clock } = this.#deps;
    const startedAt = clock.now();
    const by = lockerOf(viewer, "GROUP", press);
    const { site_id: siteId } = await findGroup(viewer, db, groupId);
    const choose = async (tx: Tx) => {
      await findGroup(viewer, tx, groupId);
      return readMembers(viewer, tx, groupId);
    };
    const results = await this.#setAtSite(choose, body, { viewer, siteId, by, startedAt });
    const words = wordingOf(body);
    if (results.length === 0) {
      const action = body.enabled ? "MAINTENANCE_ON" : "MAINTENANCE_OFF";
      await auditNoRobots(this.#deps, viewer, { action, entity: "group", entityId: groupId, siteId }, words.nobody);
    }
    return manyRobotsAnswer(results, words);
  }

  /** The same for robots of any sites. Throws 404 if one of them is outside the viewer's scope. */
  async setRobots(
    viewer: Viewer,
    { robotObjectIds, ...body }: BodyOf<typeof robotsMaintenance>,
    press: Press | null,
  ): Promise<ManyRobotsResponse> {
    const { db, clock, log } = this.#deps;
    const startedAt = clock.now();
    const by = lockerOf(viewer, "MANUAL", press);
    const sites = Map.groupBy(await findRobots(viewer, db, robotObjectIds), ({ site_id }) => site_id);
    const limit = pLimit(MAX_CONCURRENT_SITES);
    const results = await Promise.all(
      [...sites].map(([siteId, robots]) => {
        // Those that have been moved since are nobody's at this site: they have no result.
        const choose = () => Promise.resolve(robots.map(({ id }) => id));
        return this.#setAtSite(choose, body, { viewer, siteId, by, startedAt }, limit).catch((error: unknown) => {
          // What was done at other sites is told all the same.
          log.error({ reason: error, siteId }, "the outcome of a maintenance order for a site is unknown");
          const message = error instanceof HttpError ? error.message : RESULT_UNKNOWN;
          return robots.map(({ id, serial_number: robotId }): RobotResult => {
            return { robotId, robotObjectId: id, outcome: "FAILED", message, pending: false };
          });
        });
      }),
    );
    const places = new Map(robotObjectIds.map((id, index) => [id, index]));
    const placeOf = ({ robotObjectId }: RobotResult) => places.get(robotObjectId) ?? 0;
    const inOrder = results.flat().toSorted((one, other) => placeOf(one) - placeOf(other));
    return manyRobotsAnswer(inOrder, wordingOf(body));
  }

  async #setAtSite(
    chooseIds: (tx: Tx) => Promise<readonly number[]>,
    body: MaintenanceBody,
    { viewer, siteId, by, startedAt }: Release,
    /** Only for storing the orders: no site waits until the robots of another one have confirmed. */
    limit = pLimit(1),
  ): Promise<RobotResult[]> {
    const { db, clock, log } = this.#deps;
    const starts = this.#starts(viewer, siteId, by, startedAt);
    const choose = async (tx: Tx) => ({ siteId, robotIds: await chooseIds(tx) });
    const verb = body.enabled ? "MAINTENANCE_ON" : "MAINTENANCE_OFF";
    const each = await limit(() =>
      decideEach<Decided>(db, choose, (tx, { robotIds }, options) =>
        this.#accept(tx, siteId, robotIds, by, body, options),
      ),
    );
    const heldResult = async (robot: BusyRobot): Promise<Result> => {
      const message = maintenanceMessages.held(robot.serial_number);
      const command = { verb, ...givenBy(by) } as const;
      await auditCommands(db, [{ robot, command, outcome: "FAILED", reason: message }], clock.now());
      return { outcome: "FAILED", message, pending: false };
    };
    const failed = (error: unknown, robot: BusyRobot, isStored: boolean): Result => {
      if (error instanceof HttpError) return { outcome: "FAILED", message: error.message, pending: false };
      log.error({ reason: error, robotId: robot.id, verb }, "the outcome of a maintenance order is unknown");
      const isLocked = body.enabled && isStored;
      const words = isLocked
        ? maintenanceMessages.lockNotKnown
        : maintenanceMessages[body.enabled ? "lockNotStored" : "releaseNotKnown"];
      return { outcome: "FAILED", message: words(robot.serial_number), pending: isLocked };
    };
    return resultsOf(each, (decided) => this.#resultOf(decided, body, starts), heldResult, failed);
  }

  async #accept(
    tx: Tx,
    siteId: number,
    robotIds: readonly number[],
    by: Locker,
    body: MaintenanceBody,
    { seen, ...options }: LockOptions & { readonly seen: FirstSeen },
  ): Promise<Decided[]> {
    const targets = await lockTargets(tx, siteId, robotIds, options);
    const now = this.#deps.clock.now();
    const accepted = body.enabled
      ? await acceptLocks(tx, targets, by, body.reason, now)
      : await acceptReleases(tx, targets, by, now);
    return targets.flatMap(({ robot }) => {
      const mine = accepted.get(robot.id);
      return mine ? [{ robot, accepted: mine, seenSeq: seen.seqOf(robot.id) }] : [];
    });
  }

  /**
   * Resolves once the robot has shown it, or will not in time. Throws anything that is not a success; the lock remains
   * in any case.
   */
  async #settled(
    robot: LockedRobot,
    { commandId, robotAway }: Extract<Accepted, { kind: "stored" }>,
    { enabled }: MaintenanceBody,
  ): Promise<Pick<Answer, "message" | "confirmed">> {
    try {
      const { message } = await this.#commands.sendStored(commandId, robotAway);
      return { message: enabled ? maintenanceMessages.locked(robot.serial_number) : message, confirmed: true };
    } catch (error) {
      if (enabled && error instanceof HttpError && error.extra.pending === true) {
        return { message: error.message, confirmed: false };
      }
      throw error;
    }
  }

  async #resultOf(
    { robot, accepted, seenSeq }: Decided,
    body: MaintenanceBody,
    starts: ReleaseStarts,
  ): Promise<Result> {
    if (accepted.kind === "refused") {
      return { outcome: skippedOrFailed(accepted.error), message: accepted.error.message, pending: false };
    }
    const { message, confirmed } = await this.#settled(robot, accepted, body);
    if (!body.start_after) return { outcome: "SUCCESS", message, pending: !confirmed };
    const start = await starts.start(robot, seenSeq);
    const words: Record<typeof start.kind, string> = {
      started: maintenanceMessages.releasedAndStarted(robot.serial_number),
      refused: start.message,
      failed: maintenanceMessages.releasedNotStarted(start.message),
      unknown: maintenanceMessages.releasedStartUnknown(start.message),
    };
    return { outcome: start.kind === "started" ? "SUCCESS" : "FAILED", message: words[start.kind], pending: false };
  }

  #starts(viewer: Viewer, siteId: number, by: Locker, startedAt: Date): ReleaseStarts {
    return new ReleaseStarts(this.#deps, this.#commands, { viewer, siteId, by, startedAt });
  }
}

function lockerOf(viewer: Viewer, actionType: Locker["actionType"], press: Press | null): Locker {
  return { userId: viewer.userId, name: viewer.name, actionType, press };
}

/** What already applies, or is not allowed, is skipped; an offline robot has failed. */
function skippedOrFailed({ status }: HttpError): RobotResult["outcome"] {
  return status === 504 ? "FAILED" : "SKIPPED";
}

/** The console gives up on a call after 10 s (§9), so a start that follows a release is not waited for longer. */
const ANSWER_TIMEOUT_MS = 9_000;
/** A start with less time than this would move a robot whose caller was told of a failure. */
const MIN_START_TIME_MS = 1_000;

/**
 * The outcome of such a start: refused by the server, failed at the robot, or not known when the caller is answered.
 */
interface ReleaseStart {
  readonly kind: "started" | "refused" | "failed" | "unknown";
  readonly message: string;
}

interface Release {
  readonly viewer: Viewer;
  readonly siteId: number;
  readonly by: Locker;
  /** When the call arrived. */
  readonly startedAt: Date;
}

/** Starts robots as one call releases them: those released at the same moment by one order. */
class ReleaseStarts {
  readonly #deps: Dependencies;
  readonly #startedAtMs: number;
  readonly #starts: BatchLoader<number, RobotResult>;
  /** Each robot's newest command when its release was requested: a Stop or lock with a higher number came later. */
  readonly #seenSeqs = new Map<number, number>();
  /** Robots whose START is stored and in progress. */
  readonly #going = new Set<number>();

  constructor(deps: Dependencies, commands: Commands, { viewer, siteId, by, startedAt }: Release) {
    this.#deps = deps;
    this.#startedAtMs = startedAt.getTime();
    const isTooLate = () => this.#leftMs() < MIN_START_TIME_MS;
    this.#starts = new BatchLoader(async (robotIds) => {
      const choose = async (tx: Tx) => {
        await requireRobotsAt(viewer, tx, siteId, robotIds);
        return { siteId, robotIds };
      };
      const results = await commands.sendMany(choose, {
        verb: "START",
        mode: "AUTO",
        by,
        refusedAs: (reason) => outcomeText("RELEASED_NOT_STARTED", { reason: nested(reason) }),
        unlessOf: (robotId) => ({ afterSeq: this.#seenSeqs.get(robotId) ?? 0, isTooLate }),
        onStored: (robotId) => void this.#going.add(robotId),
      });
      return new Map(results.map((result) => [result.robotObjectId, result]));
    });
  }

  /** The start requested with the release, like any press of Start; it undoes no release, and no Stop since. */
  async start(robot: LockedRobot, seenSeq: number): Promise<ReleaseStart> {
    this.#seenSeqs.set(robot.id, seenSeq);
    return (await withTimeout(this.#deps.clock, this.#started(robot), this.#leftMs())) ?? this.#unknown(robot);
  }

  #leftMs(): number {
    return Math.max(0, this.#startedAtMs + ANSWER_TIMEOUT_MS - this.#deps.clock.now().getTime());
  }

  async #started(robot: LockedRobot): Promise<ReleaseStart> {
    try {
      const result = await this.#starts.load(robot.id);
      if (result === null) return { kind: "failed", message: maintenanceMessages.gone(robot.serial_number) };
      const kinds = { SUCCESS: "started", FAILED: "failed", SKIPPED: "refused" } as const;
      return { kind: kinds[result.outcome], message: result.message };
    } catch (error) {
      if (error instanceof HttpError) return { kind: "failed", message: error.message };
      this.#deps.log.error({ reason: error, robotId: robot.id }, "failed to start a released robot");
      return this.#unknown(robot);
    }
  }

  #unknown(robot: LockedRobot): ReleaseStart {
    const words = this.#going.has(robot.id) ? maintenanceMessages.startUnknown : maintenanceMessages.startNotKnown;
    return { kind: "unknown", message: words(robot.serial_number) };
  }
}

import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { type createRobot, importRobots, type updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, HttpError, notFound } from "../../platform/http/http-error.ts";
import { WrittenAnswer } from "../../platform/http/register.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type Workers, workOwnerOf } from "../../platform/workers/workers.ts";
import { recordAudit } from "../audit/public.ts";
import {
  findRobotOf,
  type LockedRobot,
  lockRobots,
  publishCommandMessage,
  questionEnvelope,
  readStillMoving,
  settleForgotten,
  settleRemoved,
  showChange,
} from "../commands/public.ts";
import { endLockOfRetired } from "../devices/public.ts";
import { closeRunsOfRemoved } from "../runs/public.ts";
import { seenAt, type SeenAt } from "../sites/public.ts";
import { exportRobotsTask, importRobotsTask } from "./robot-files.ts";
import { type RobotConflict, robotConflicts } from "./robot-conflicts.repository.ts";
import { lockSites } from "./robots.queries.ts";
import {
  becomeOtherMachine,
  changeRobotRow,
  groupNameOf,
  insertRobots,
  isSameForm,
  moveWithRobot,
  readRobotForm,
  removeRobots,
  type RobotForm,
} from "./robots.repository.ts";

/** Adds, changes and deletes robots, and asks a machine that has become one for its state. */
export class Robots {
  readonly #deps: Dependencies;
  readonly #workers: Workers;

  constructor(deps: Dependencies, workers: Workers) {
    this.#deps = deps;
    this.#workers = workers;
  }

  /** Answers the new robot's id. Throws 400, 404 and 409. */
  async create(viewer: Viewer, body: BodyOf<typeof createRobot>): Promise<number> {
    const { db, clock } = this.#deps;
    const created = await transactionWithRetry(db, (tx) => createRobotAt(tx, viewer, body, clock.now()));
    if (created.kind === "refused") throw created.error;
    void askForStatus(this.#deps, [body.serial_number]);
    return created.robotId;
  }

  /** Throws 400, 404 and 409. */
  async update(viewer: Viewer, robotId: number, body: BodyOf<typeof updateRobot>): Promise<void> {
    const { db } = this.#deps;
    const updated = await transactionWithRetry(db, (tx) =>
      updateRobotOf(tx, viewer, robotId, body, seenAt(this.#deps)),
    );
    if (updated.kind === "refused") throw updated.error;
    if (updated.isOtherMachine) void askForStatus(this.#deps, [body.serial_number]);
  }

  /** Throws 400 and 404. */
  async delete(viewer: Viewer, robotId: number): Promise<void> {
    const { db } = this.#deps;
    const refusal = await transactionWithRetry(db, (tx) => deleteRobotOf(tx, viewer, robotId, seenAt(this.#deps)));
    if (refusal !== null) throw refusal;
  }

  /** Answers what was done, and asks the robot for its state. Throws 404, and 409 while the robot may be moving. */
  async forgetState(viewer: Viewer, robotId: number): Promise<string> {
    const { db } = this.#deps;
    const forgotten = await transactionWithRetry(db, (tx) => forgetStateOf(tx, viewer, robotId, seenAt(this.#deps)));
    if (forgotten.kind === "refused") throw forgotten.error;
    void askForStatus(this.#deps, [forgotten.serial]);
    return `The state of robot ${forgotten.serial} was forgotten; the next that it tells is taken.`;
  }

  /** The robots of the viewer's sites, as a CSV file. */
  async export(viewer: Viewer, signal: AbortSignal): Promise<string> {
    return this.#workers.run(exportRobotsTask, viewer, { asker: workOwnerOf(viewer), signal });
  }

  /** Throws 400 where a row is wrong that was to be created. */
  async import(
    viewer: Viewer,
    body: BodyOf<typeof importRobots>,
    signal: AbortSignal,
  ): Promise<WrittenAnswer<typeof importRobots>> {
    const given = { viewer, body, now: this.#deps.clock.now() };
    const { json, serials } = await this.#workers.run(importRobotsTask, given, { asker: workOwnerOf(viewer), signal });
    void askForStatus(this.#deps, serials);
    return new WrittenAnswer(importRobots, json);
  }
}

/** What creating came to in its transaction; a refusal is on record and is thrown after the commit. */
type CreatedRobot =
  | { readonly kind: "created"; readonly robotId: number }
  | { readonly kind: "refused"; readonly error: HttpError };

/** §5 Robot form: puts a robot with a free serial number at a site of the viewer's. Throws 404. */
async function createRobotAt(
  tx: Tx,
  viewer: Viewer,
  body: BodyOf<typeof createRobot>,
  now: Date,
): Promise<CreatedRobot> {
  await lockSites(viewer, tx, [body.site_id]);
  const [conflicts = []] = await robotConflicts(tx, viewer, [body]);
  const error = refusedForm(conflicts);
  const [stored] = error === null ? await insertRobots(tx, [body], now) : [];
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: "CREATE_ROBOT",
    entity: "robot",
    entityId: stored?.id ?? null,
    siteId: body.site_id,
    outcome: error === null ? "DONE" : "REFUSED",
    reason: error?.message ?? null,
    after: { ...body },
    at: now,
  });
  if (error !== null) return { kind: "refused", error };
  if (stored === undefined) throw new Error("The robot was not stored.");
  return { kind: "created", robotId: stored.id };
}

/** What an edit came to in its transaction; a refusal is on record and is thrown after the commit. */
type UpdatedRobot =
  | { readonly kind: "updated"; readonly isOtherMachine: boolean }
  | { readonly kind: "refused"; readonly error: HttpError };

type Body = BodyOf<typeof updateRobot>;

/**
 * §5 Robot form: changes a robot. Another serial number is another machine, whose state, commands and alerts begin
 * anew; another site takes over the robot as it is, and history stays where it happened. Throws 404.
 */
export async function updateRobotOf(
  tx: Tx,
  viewer: Viewer,
  robotId: number,
  body: Body,
  seen: SeenAt,
): Promise<UpdatedRobot> {
  const { now } = seen;
  const { siteId } = await findRobotOf(viewer, tx, robotId);
  const robot = (await lockRobots(tx, [robotId])).get(robotId);
  // Deleted, or moved to another site, while this call waited for the lock.
  if (robot === undefined || robot.deleted_at !== null || robot.site_id !== siteId) throw notFound("Robot");
  const partners = await lockSites(viewer, tx, [...new Set([siteId, body.site_id])]);
  const { version, ...before } = await readRobotForm(tx, robotId);
  const { version: begunFrom, ...after } = body;
  const isOtherMachine = after.serial_number !== before.serial_number;
  const error =
    begunFrom !== undefined && begunFrom !== version
      ? editConflict("robot")
      : ((await bound(tx, robot, before, after, { ...seen, partnerChanges: partners.size > 1 })) ??
        refusedForm((await robotConflicts(tx, viewer, [{ id: robotId, ...after }])).flat()));
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: "UPDATE_ROBOT",
    entity: "robot",
    entityId: robotId,
    siteId,
    outcome: error === null ? "DONE" : "REFUSED",
    reason: error?.message ?? null,
    before: { ...before },
    after: { ...after },
    at: now,
  });
  if (error !== null) return { kind: "refused", error };
  // It counts as no edit, so that it is no conflict for anybody else.
  if (isSameForm(before, after)) return { kind: "updated", isOtherMachine: false };
  const isElsewhere = after.site_id !== siteId;
  if (isOtherMachine || isElsewhere) {
    const reason = isOtherMachine
      ? `Robot ${before.serial_number} was replaced by ${after.serial_number}.`
      : `Robot ${before.serial_number} was moved to another site.`;
    // It stands, so what it did is over, here and by this machine.
    await closeRunsOfRemoved(tx, [robotId], reason, now);
    if (isOtherMachine) await settleRemoved(tx, [robot], reason, now);
    if (isOtherMachine) await endLockOfRetired(tx, robotId, viewer, now);
  }
  await changeRobotRow(tx, robotId, after);
  if (isOtherMachine) await becomeOtherMachine(tx, robotId, now);
  if (isElsewhere) await moveWithRobot(tx, robotId, after.site_id);
  await showChange(tx, [robotId]);
  return { kind: "updated", isOtherMachine };
}

/** Why the serial number or site of a robot must stay as it is for now (409); null where neither changes or both may. */
async function bound(
  tx: Tx,
  robot: LockedRobot,
  before: RobotForm,
  after: RobotForm,
  seen: SeenAt & { readonly partnerChanges: boolean },
): Promise<HttpError | null> {
  const isOtherMachine = after.serial_number !== before.serial_number;
  const fields = [
    ...(isOtherMachine ? [{ field: "serial_number", words: "serial number" }] : []),
    ...(after.site_id !== before.site_id ? [{ field: "site_id", words: "site" }] : []),
  ];
  if (fields.length === 0) return null;
  const reasons = (await readStillMoving(tx, [robot.id], seen)).map(({ sentence }) => sentence);
  const group = await groupNameOf(tx, robot.id);
  const serial = robot.serial_number;
  if (group !== null) reasons.push(`Robot ${serial} is in the group "${group}". Take it out of the group first.`);
  // The lock is on the machine: whoever locked it relies on that very one standing still. One that was cut off for good
  // can confirm no release, so its lock ends as another takes its place.
  if (isOtherMachine && robot.operating_mode === "maintenance" && !robot.device_retired) {
    reasons.push(`Robot ${serial} is in maintenance. Exit maintenance first.`);
  } else if (seen.partnerChanges && robot.operating_mode === "maintenance") {
    // Another partner's people must neither release it nor be told who set it and why.
    reasons.push(`Robot ${serial} is in maintenance, and that site has another partner. Exit maintenance first.`);
  }
  if (reasons.length === 0) return null;
  const message = `The ${fields.map(({ words }) => words).join(" and ")} cannot be changed now. ${reasons.join(" ")}`;
  return new HttpError(409, message, { errors: fields.map(({ field }) => ({ field, message })) });
}

/**
 * Deletes a robot that stands and is in no group. Answers null, or the refusal, which is on record and is thrown after
 * the commit: 400, as the console expects (§7). Throws 404.
 */
async function deleteRobotOf(tx: Tx, viewer: Viewer, robotId: number, seen: SeenAt): Promise<HttpError | null> {
  const { now } = seen;
  const { siteId } = await findRobotOf(viewer, tx, robotId);
  const robot = (await lockRobots(tx, [robotId])).get(robotId);
  // Deleted, or moved to another site, while this call waited for the lock.
  if (robot === undefined || robot.deleted_at !== null || robot.site_id !== siteId) throw notFound("Robot");
  const actor = { userId: viewer.userId, name: viewer.name };
  const { serial_number, robot_name } = robot;
  const reasons = (await readStillMoving(tx, [robotId], seen)).map(({ sentence }) => sentence);
  const group = await groupNameOf(tx, robotId);
  if (group !== null)
    reasons.push(`Robot ${serial_number} is in the group "${group}". Take it out of the group first.`);
  if (reasons.length === 0) {
    await removeRobots(tx, [robot], actor, now);
    return null;
  }
  const reason = reasons.join(" ");
  await recordAudit(tx, {
    actor,
    action: "DELETE_ROBOT",
    entity: "robot",
    entityId: robotId,
    siteId,
    outcome: "REFUSED",
    reason,
    before: { robot_name, serial_number, site_id: siteId },
    at: now,
  });
  return new HttpError(400, reason);
}

type Forgotten =
  | { readonly kind: "forgotten"; readonly serial: string }
  | { readonly kind: "refused"; readonly error: HttpError };

/**
 * Protocol rule 14: the robot's next session is taken as its first. Only of one that stands or is locked; its lock and
 * its pending Stop stay, and whatever could have moved it is over. Commands go on counting from where they were. Throws
 * 404.
 */
export async function forgetStateOf(tx: Tx, viewer: Viewer, robotId: number, seen: SeenAt): Promise<Forgotten> {
  const { now } = seen;
  const { siteId } = await findRobotOf(viewer, tx, robotId);
  const robot = (await lockRobots(tx, [robotId])).get(robotId);
  // Deleted, or moved to another site, while this call waited for the lock.
  if (robot === undefined || robot.deleted_at !== null || robot.site_id !== siteId) throw notFound("Robot");
  const { serial_number: serial, operating_mode } = robot;
  const { session, last_seq, motion } = robot.state;
  // Once the robot has shown its lock it stands; before, the lock is only asked for.
  const isLocked = operating_mode === "maintenance" && robot.state.mode === "MAINTENANCE";
  const moving = isLocked ? [] : await readStillMoving(tx, [robotId], seen);
  const refusal = moving.length === 0 ? null : moving.map(({ sentence }) => sentence).join(" ");
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: "FORGET_ROBOT_STATE",
    entity: "robot",
    entityId: robotId,
    siteId,
    outcome: refusal === null ? "DONE" : "REFUSED",
    reason: refusal,
    before: { serial_number: serial, session, last_seq, motion },
    at: now,
  });
  if (refusal !== null) return { kind: "refused", error: conflict(refusal) };
  const reason = `The state of robot ${serial} was forgotten.`;
  await closeRunsOfRemoved(tx, [robotId], reason, now);
  await settleForgotten(tx, [robot], reason, now);
  await becomeOtherMachine(tx, robotId, now);
  await showChange(tx, [robotId]);
  return { kind: "forgotten", serial };
}

/**
 * Asks devices that have just become robots' for their state. They may be connected already, and what they told while no
 * robot had their serial number was dropped. A STATUS is taken whatever its session (protocol rule 1), and none is known
 * yet. Never rejects; one after the other, so that an import does not flood the broker.
 */
async function askForStatus(
  { broker, clock, log }: Pick<Dependencies, "broker" | "clock" | "log">,
  serials: readonly string[],
): Promise<void> {
  for (const serial of serials) {
    if (!broker.connected) return;
    const envelope = questionEnvelope(clock.now(), 0, "Suncrew");
    try {
      await publishCommandMessage(broker, serial, { ...envelope, verb: "STATUS" });
    } catch (error) {
      // It reports by itself within 30 s.
      log.warn({ error, serial }, "a robot that was added could not be asked for its status");
    }
  }
}

/** The answer to a form with these conflicts, each at its field; null where there is none. */
function refusedForm(conflicts: readonly RobotConflict[]): HttpError | null {
  const [first] = conflicts;
  if (first === undefined) return null;
  // What is wrong by itself is told as such, also where something else is taken.
  const status = conflicts.some((conflict) => conflict.status === 400) ? 400 : 409;
  const message = conflicts.map((conflict) => conflict.message).join(" ");
  return new HttpError(status, message, {
    errors: conflicts.map(({ field, message: said }) => ({ field, message: said })),
  });
}

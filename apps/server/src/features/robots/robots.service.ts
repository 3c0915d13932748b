import { outcomeText } from "@suncrew/domain/runs/outcome-texts.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { type createRobot, importRobots, type updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, HttpError, notFound } from "../../platform/http/http-error.ts";
import { SerializedAnswer } from "../../platform/http/register.ts";
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
import { closeRunsOfDeletedRobots } from "../runs/public.ts";
import { seenAt, type SeenAt } from "../sites/public.ts";
import { type RobotConflict, robotConflicts } from "./robot-conflicts.repository.ts";
import { exportRobotsTask, importRobotsTask } from "./robot-files.ts";
import { lockSites } from "./robots.queries.ts";
import {
  changeRobotRow,
  groupNameOf,
  insertRobots,
  isSameForm,
  moveWithRobot,
  readRobotForm,
  removeRobots,
  resetRobotState,
  type RobotForm,
} from "./robots.repository.ts";

/**
 * Adds, changes and deletes robots, and requests the state of a machine that has become one. A refusal is audited in
 * the transaction that decides it, and thrown after the commit.
 */
export class Robots {
  readonly #deps: Dependencies;
  readonly #workers: Workers;

  constructor(deps: Dependencies, workers: Workers) {
    this.#deps = deps;
    this.#workers = workers;
  }

  /** Returns the new robot's id. Throws 400, 404 and 409. */
  async create(viewer: Viewer, body: BodyOf<typeof createRobot>): Promise<number> {
    const { db, clock } = this.#deps;
    const created = await transactionWithRetry(db, (tx) => storeNewRobot(tx, viewer, body, clock.now()));
    if (created instanceof HttpError) throw created;
    void requestStatus(this.#deps, [body.serial_number]);
    return created;
  }

  /** Throws 400, 404 and 409. */
  async update(viewer: Viewer, robotId: number, body: BodyOf<typeof updateRobot>): Promise<void> {
    const updated = await transactionWithRetry(this.#deps.db, (tx) =>
      storeChangedRobot(tx, viewer, robotId, body, seenAt(this.#deps)),
    );
    if (updated instanceof HttpError) throw updated;
    if (updated.isOtherMachine) void requestStatus(this.#deps, [body.serial_number]);
  }

  /** Throws 400 and 404. */
  async delete(viewer: Viewer, robotId: number): Promise<void> {
    const refusal = await transactionWithRetry(this.#deps.db, (tx) =>
      deleteRobot(tx, viewer, robotId, seenAt(this.#deps)),
    );
    if (refusal !== null) throw refusal;
  }

  /** Returns a message, and requests the robot's state. Throws 404, and 409 while the robot may be moving. */
  async forgetState(viewer: Viewer, robotId: number): Promise<string> {
    const reset = await transactionWithRetry(this.#deps.db, (tx) =>
      forgetState(tx, viewer, robotId, seenAt(this.#deps)),
    );
    if (reset instanceof HttpError) throw reset;
    void requestStatus(this.#deps, [reset.serial]);
    return `The state of robot ${reset.serial} was forgotten; its next report will be accepted.`;
  }

  /** The robots of the viewer's sites, as a CSV file. */
  async export(viewer: Viewer, signal: AbortSignal): Promise<string> {
    return this.#workers.run(exportRobotsTask, viewer, { owner: workOwnerOf(viewer), signal });
  }

  /** Throws 400 if a row to be created is invalid. */
  async import(
    viewer: Viewer,
    body: BodyOf<typeof importRobots>,
    signal: AbortSignal,
  ): Promise<SerializedAnswer<typeof importRobots>> {
    const input = { viewer, body, now: this.#deps.clock.now() };
    const { json, serials } = await this.#workers.run(importRobotsTask, input, { owner: workOwnerOf(viewer), signal });
    void requestStatus(this.#deps, serials);
    return new SerializedAnswer(importRobots, json);
  }
}

/** §5 Robot form: adds a robot with a free serial number to a site of the viewer's; returns its id. Throws 404. */
async function storeNewRobot(
  tx: Tx,
  viewer: Viewer,
  body: BodyOf<typeof createRobot>,
  now: Date,
): Promise<number | HttpError> {
  await lockSites(viewer, tx, [body.site_id]);
  const error = conflictError((await robotConflicts(tx, viewer, [body])).flat());
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
  if (error !== null) return error;
  if (stored === undefined) throw new Error("The robot was not stored.");
  return stored.id;
}

/**
 * §5 Robot form: changes a robot. Another serial number means another machine, whose state, commands and alerts start
 * afresh; another site takes over the robot as it is, and history remains where it happened. Throws 404.
 */
export async function storeChangedRobot(
  tx: Tx,
  viewer: Viewer,
  robotId: number,
  body: BodyOf<typeof updateRobot>,
  seen: SeenAt,
): Promise<{ readonly isOtherMachine: boolean } | HttpError> {
  const { now } = seen;
  const robot = await lockRobotOf(tx, viewer, robotId);
  const { site_id: siteId } = robot;
  const partners = await lockSites(viewer, tx, [...new Set([siteId, body.site_id])]);
  const { version, ...before } = await readRobotForm(tx, robotId);
  const { version: editedVersion, ...after } = body;
  const isOtherMachine = after.serial_number !== before.serial_number;
  const error =
    editedVersion !== undefined && editedVersion !== version
      ? editConflict("robot")
      : ((await identityChangeConflict(tx, robot, before, after, { ...seen, partnerChanges: partners.size > 1 })) ??
        conflictError((await robotConflicts(tx, viewer, [{ id: robotId, ...after }])).flat()));
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
  if (error !== null) return error;
  // Not counted as an edit, so it conflicts with no other.
  if (isSameForm(before, after)) return { isOtherMachine: false };
  const isOtherSite = after.site_id !== siteId;
  if (isOtherMachine || isOtherSite) {
    const reason = isOtherMachine
      ? outcomeText("ROBOT_REPLACED", { serial: before.serial_number, by: after.serial_number })
      : outcomeText("ROBOT_TO_OTHER_SITE", { serial: before.serial_number });
    // It is stopped, so its run is over, here and for this machine.
    await closeRunsOfDeletedRobots(tx, [robotId], reason, now);
    if (isOtherMachine) await settleRemoved(tx, [robot], reason, now);
    if (isOtherMachine) await endLockOfRetired(tx, robotId, viewer, now);
  }
  await changeRobotRow(tx, robotId, after);
  if (isOtherMachine) await resetRobotState(tx, robotId, now);
  if (isOtherSite) await moveWithRobot(tx, robotId, after.site_id);
  await showChange(tx, [robotId]);
  return { isOtherMachine };
}

/** Why a robot must keep its serial number or site for now (409); null if neither changes, or both may. */
async function identityChangeConflict(
  tx: Tx,
  robot: LockedRobot,
  before: RobotForm,
  after: RobotForm,
  seen: SeenAt & { readonly partnerChanges: boolean },
): Promise<HttpError | null> {
  const isOtherMachine = after.serial_number !== before.serial_number;
  const fields = [
    ...(isOtherMachine ? [{ field: "serial_number", label: "serial number" }] : []),
    ...(after.site_id !== before.site_id ? [{ field: "site_id", label: "site" }] : []),
  ];
  if (fields.length === 0) return null;
  const reasons = await reasonsAgainstRemoval(tx, robot, seen);
  const serial = robot.serial_number;
  // The lock applies to the machine: the person who set it relies on that very machine staying still. One that was cut
  // off for good can confirm no release, so its lock ends when another machine replaces it.
  if (isOtherMachine && robot.operating_mode === "maintenance" && !robot.device_retired) {
    reasons.push(`Robot ${serial} is in maintenance. Exit maintenance first.`);
  } else if (seen.partnerChanges && robot.operating_mode === "maintenance") {
    // Another partner's people must neither release it nor learn who set it and why.
    reasons.push(`Robot ${serial} is in maintenance, and that site has another partner. Exit maintenance first.`);
  }
  if (reasons.length === 0) return null;
  const message = `The ${fields.map(({ label }) => label).join(" and ")} cannot be changed now. ${reasons.join(" ")}`;
  return new HttpError(409, "ROBOT_NOT_REPLACEABLE", message, {
    errors: fields.map(({ field }) => ({ field, message })),
  });
}

/**
 * Deletes a robot that is stopped and in no group. Returns null, or the refusal: 400, as the console expects (§7).
 * Throws 404.
 */
async function deleteRobot(tx: Tx, viewer: Viewer, robotId: number, seen: SeenAt): Promise<HttpError | null> {
  const robot = await lockRobotOf(tx, viewer, robotId);
  const { serial_number, robot_name, site_id } = robot;
  const actor = { userId: viewer.userId, name: viewer.name };
  const reasonsToStay = await reasonsAgainstRemoval(tx, robot, seen);
  if (reasonsToStay.length === 0) {
    await removeRobots(tx, [robot], actor, seen.now);
    return null;
  }
  const reason = reasonsToStay.join(" ");
  await recordAudit(tx, {
    actor,
    action: "DELETE_ROBOT",
    entity: "robot",
    entityId: robotId,
    siteId: site_id,
    outcome: "REFUSED",
    reason,
    before: { robot_name, serial_number, site_id },
    at: seen.now,
  });
  return new HttpError(400, "ROBOT_NOT_REMOVABLE", reason);
}

/**
 * Protocol rule 14: treats the robot's next session as its first. Only for a stopped or locked robot; its lock and its
 * pending Stop remain, and whatever could have moved it is over. Command numbers continue. Throws 404.
 */
export async function forgetState(
  tx: Tx,
  viewer: Viewer,
  robotId: number,
  seen: SeenAt,
): Promise<{ readonly serial: string } | HttpError> {
  const { now } = seen;
  const robot = await lockRobotOf(tx, viewer, robotId);
  const { serial_number: serial, operating_mode, site_id: siteId } = robot;
  const { session, last_seq, motion, mode } = robot.state;
  // Once the robot has shown its lock it has stopped; before that, the lock is only requested.
  const isLocked = operating_mode === "maintenance" && mode === "MAINTENANCE";
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
  if (refusal !== null) return conflict("ROBOT_MAY_BE_MOVING", refusal);
  const reason = outcomeText("ROBOT_STATE_FORGOTTEN", { serial });
  await closeRunsOfDeletedRobots(tx, [robotId], reason, now);
  await settleForgotten(tx, [robot], reason, now);
  await resetRobotState(tx, robotId, now);
  await showChange(tx, [robotId]);
  return { serial };
}

/** Locks a robot of the viewer's. Throws 404. */
async function lockRobotOf(tx: Tx, viewer: Viewer, robotId: number): Promise<LockedRobot> {
  const { siteId } = await findRobotOf(viewer, tx, robotId);
  const robot = (await lockRobots(tx, [robotId])).get(robotId);
  // Deleted, or moved to another site, while this call waited for the lock.
  if (robot === undefined || robot.deleted_at !== null || robot.site_id !== siteId) throw notFound("Robot");
  return robot;
}

/** Why a robot, which this transaction has locked, cannot be removed: it may be moving, or is in a group. */
async function reasonsAgainstRemoval(tx: Tx, { id, serial_number }: LockedRobot, seen: SeenAt): Promise<string[]> {
  const reasons = (await readStillMoving(tx, [id], seen)).map(({ sentence }) => sentence);
  const group = await groupNameOf(tx, id);
  if (group !== null)
    reasons.push(`Robot ${serial_number} is in the group "${group}". Take it out of the group first.`);
  return reasons;
}

/** The error for a form with these conflicts, each at its field; null if there are none. */
function conflictError(conflicts: readonly RobotConflict[]): HttpError | null {
  // Invalid input is reported as such, even if something else is taken.
  const first = conflicts.find((each) => each.status === 400) ?? conflicts[0];
  if (first === undefined) return null;
  const errors = conflicts.map(({ field, message }) => ({ field, message }));
  return new HttpError(first.status, first.code, errors.map(({ message }) => message).join(" "), { errors });
}

/**
 * Requests the state of devices that have just become robots. They may already be connected, and what they reported
 * while no robot had their serial number was dropped. A STATUS is accepted in any session (protocol rule 1), and none
 * is known yet. Never rejects; runs one after the other, so that an import does not flood the broker.
 */
async function requestStatus(
  { broker, clock, log }: Pick<Dependencies, "broker" | "clock" | "log">,
  serials: readonly string[],
): Promise<void> {
  for (const serial of serials) {
    if (!broker.connected) return;
    const envelope = questionEnvelope(clock.now(), 0, "Suncrew");
    try {
      await publishCommandMessage(broker, serial, { ...envelope, verb: "STATUS" });
    } catch (error) {
      // It reports within 30 s anyway.
      log.warn({ error, serial }, "a robot that was added could not be asked for its status");
    }
  }
}

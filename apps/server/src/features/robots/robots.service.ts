import { outcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import type { BodyOf, ResponseOf } from "@suncrew/contract/http/route.ts";
import { createRobot, type createRobots, type updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import { importRobots } from "@suncrew/contract/robots/robot-files.ts";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, HttpError, notFound } from "../../platform/http/http-error.ts";
import { SerializedAnswer } from "../../platform/http/register.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type Workers, workOwnerOf } from "../../platform/workers/workers.ts";
import { auditedChange } from "../audit/public.ts";
import {
  findRobotOf,
  type LockedRobot,
  lockRobots,
  publishCommandMessage,
  questionEnvelope,
  readStillMoving,
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

/** Adds, changes and deletes robots, and requests the state of a machine that has become one. */
export class Robots {
  readonly #deps: Dependencies;
  readonly #workers: Workers;

  constructor(deps: Dependencies, workers: Workers) {
    this.#deps = deps;
    this.#workers = workers;
  }

  /**
   * §5 Robot form: adds a robot with a free serial number to a site of the viewer's; returns its id. Throws 400, 404 and
   * 409.
   */
  async create(viewer: Viewer, body: BodyOf<typeof createRobot>): Promise<number> {
    const at = this.#deps.clock.now();
    const about = { action: "CREATE_ROBOT", entity: "robot", siteId: body.site_id, after: { ...body } };
    const id = await auditedChange(this.#deps.db, { actor: viewer, ...about, at }, async (tx, details) => {
      await lockSites(viewer, tx, [body.site_id]);
      const refusal = conflictError((await robotConflicts(tx, viewer, [body])).flat());
      if (refusal !== null) throw refusal;
      const [stored] = await insertRobots(tx, [body], at);
      if (stored === undefined) throw new Error("The robot was not stored.");
      details.entityId = stored.id;
      return stored.id;
    });
    void requestStatus(this.#deps, [body.serial_number]);
    return id;
  }

  /** Adds robots to a site, named by their serial numbers: each that nothing prevents. Throws 404. */
  async createMany(
    viewer: Viewer,
    { serial_numbers, ...fields }: BodyOf<typeof createRobots>,
  ): Promise<ResponseOf<typeof createRobots>> {
    const at = this.#deps.clock.now();
    const change = { actor: viewer, action: "CREATE_ROBOT", entity: "robot", siteId: fields.site_id, at };
    const bodies = [...new Set(serial_numbers)].map((serial_number) =>
      createRobot.body.parse({ ...fields, serial_number, robot_name: serial_number }),
    );
    const robots = await auditedChange(this.#deps.db, change, async (tx, details) => {
      await lockSites(viewer, tx, [fields.site_id]);
      const conflicts = await robotConflicts(tx, viewer, bodies);
      const checked = bodies.map((body, nth) => ({ body, refusal: conflictError(conflicts[nth] ?? []) }));
      const free = checked.flatMap(({ body, refusal }) => (refusal === null ? [body] : []));
      const stored = await insertRobots(tx, free, at);
      const ids = new Map(stored.map(({ id, serial_number }) => [serial_number, id]));
      details.rows = checked.map(({ body, refusal }) => ({
        ...change,
        entityId: ids.get(body.serial_number) ?? null,
        after: body,
        ...(refusal !== null && { outcome: "REFUSED" as const, reason: refusal.message }),
      }));
      return checked.map(({ body: { serial_number }, refusal }) => ({
        serial_number,
        robot_id: ids.get(serial_number) ?? null,
        reason: refusal?.message ?? null,
      }));
    });
    const created = robots.flatMap(({ robot_id, serial_number }) => (robot_id === null ? [] : [serial_number]));
    void requestStatus(this.#deps, created);
    return { message: `${created.length} of ${robots.length} robots were created.`, robots };
  }

  /** Throws 400, 404 and 409. */
  async update(viewer: Viewer, robotId: number, body: BodyOf<typeof updateRobot>): Promise<void> {
    const { isOtherMachine } = await storeChangedRobot(this.#deps.db, viewer, robotId, body, seenAt(this.#deps));
    if (isOtherMachine) void requestStatus(this.#deps, [body.serial_number]);
  }

  /** Deletes a robot that is stopped and in no group. Throws 404, and 400 for others, as the console expects (§7). */
  async delete(viewer: Viewer, robotId: number): Promise<void> {
    const seen = seenAt(this.#deps);
    const about = { action: "DELETE_ROBOT", entity: "robot", entityId: robotId };
    await auditedChange(this.#deps.db, { actor: viewer, ...about, at: seen.now }, async (tx, details) => {
      const robot = await lockRobotOf(tx, viewer, robotId);
      const { serial_number, robot_name, site_id } = robot;
      details.siteId = site_id;
      details.before = { robot_name, serial_number, site_id };
      const reasonsToStay = await reasonsAgainstRemoval(tx, robot, seen);
      if (reasonsToStay.length > 0) throw new HttpError(400, "ROBOT_NOT_REMOVABLE", reasonsToStay.join(" "));
      await removeRobots(tx, [robot], viewer, seen.now);
      // It has been recorded, as for each robot of a site that is deleted.
      details.rows = [];
    });
  }

  /** Returns a message, and requests the robot's state. Throws 404, and 409 while the robot may be moving. */
  async forgetState(viewer: Viewer, robotId: number): Promise<string> {
    const { serial } = await forgetState(this.#deps.db, viewer, robotId, seenAt(this.#deps));
    void requestStatus(this.#deps, [serial]);
    return `The state of robot ${serial} was forgotten; its next report will be accepted.`;
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

/**
 * §5 Robot form: changes a robot. Another serial number means another machine, whose state, commands and alerts start
 * afresh; another site takes over the robot as it is, and history remains where it happened. Throws 404.
 */
export async function storeChangedRobot(
  db: Executor,
  viewer: Viewer,
  robotId: number,
  { version: editedVersion, ...after }: BodyOf<typeof updateRobot>,
  seen: SeenAt,
): Promise<{ readonly isOtherMachine: boolean }> {
  const { now } = seen;
  const about = { action: "UPDATE_ROBOT", entity: "robot", entityId: robotId, after };
  return auditedChange(db, { actor: viewer, ...about, at: now }, async (tx, details) => {
    const robot = await lockRobotOf(tx, viewer, robotId);
    const { site_id: siteId } = robot;
    const partners = await lockSites(viewer, tx, [...new Set([siteId, after.site_id])]);
    const { version, ...before } = await readRobotForm(tx, robotId);
    details.siteId = siteId;
    details.before = before;
    if (editedVersion !== undefined && editedVersion !== version) throw editConflict("robot");
    const refusal =
      (await identityChangeConflict(tx, robot, before, after, { ...seen, partnerChanges: partners.size > 1 })) ??
      conflictError((await robotConflicts(tx, viewer, [{ id: robotId, ...after }])).flat());
    if (refusal !== null) throw refusal;
    // Not counted as an edit, so it conflicts with no other.
    if (isSameForm(before, after)) return { isOtherMachine: false };
    const isOtherMachine = after.serial_number !== before.serial_number;
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
  });
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
 * Protocol rule 14: treats the robot's next session as its first. Only for a stopped or locked robot; its lock and its
 * pending Stop remain, and whatever could have moved it is over. Command numbers continue.
 * Throws 404, and 409 while the robot may be moving.
 */
export async function forgetState(
  db: Db,
  viewer: Viewer,
  robotId: number,
  seen: SeenAt,
): Promise<{ readonly serial: string }> {
  const { now } = seen;
  const about = { action: "FORGET_ROBOT_STATE", entity: "robot", entityId: robotId };
  return auditedChange(db, { actor: viewer, ...about, at: now }, async (tx, details) => {
    const robot = await lockRobotOf(tx, viewer, robotId);
    const { serial_number: serial, operating_mode, session, last_seq, motion, mode } = robot;
    details.siteId = robot.site_id;
    details.before = { serial_number: serial, session, last_seq, motion };
    // Once the robot has shown its lock it has stopped; before that, the lock is only requested.
    const isLocked = operating_mode === "maintenance" && mode === "MAINTENANCE";
    const moving = isLocked ? [] : await readStillMoving(tx, [robotId], seen);
    if (moving.length > 0) throw conflict("ROBOT_MAY_BE_MOVING", moving.map(({ message }) => message).join(" "));
    const reason = outcomeText("ROBOT_STATE_FORGOTTEN", { serial });
    await closeRunsOfDeletedRobots(tx, [robotId], reason, now);
    await settleRemoved(tx, [robot], reason, now, { keepsPending: true });
    await resetRobotState(tx, robotId, now);
    await showChange(tx, [robotId]);
    return { serial };
  });
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
  const reasons = (await readStillMoving(tx, [id], seen)).map(({ message }) => message);
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
      log.warn({ error, serial }, "a newly added robot could not be queried for its status");
    }
  }
}

import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { updateRobot } from "@suncrew/contract/robots/robot-forms.ts";
import type { Tx } from "../../platform/database/database.ts";
import { editConflict, HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import {
  findRobotOf,
  type LockedRobot,
  lockRobots,
  readStillMoving,
  settleRemoved,
  showChange,
} from "../commands/public.ts";
import { endLockOfRetired } from "../devices/public.ts";
import { closeRunsOfRemoved } from "../runs/public.ts";
import type { SeenAt } from "../sites/public.ts";
import { refusedForm } from "./refused-form.ts";
import {
  becomeOtherMachine,
  changeRobotRow,
  isSameForm,
  moveWithRobot,
  readRobotForm,
  type RobotForm,
} from "./robot-form.repository.ts";
import { groupNameOf } from "./robot-grouping.repository.ts";
import { robotConflicts } from "./robot-conflicts.repository.ts";
import { lockSites } from "./robot-sites.queries.ts";

/** What an edit came to in its transaction; a refusal is on record and is thrown after the commit. */
export type UpdatedRobot =
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

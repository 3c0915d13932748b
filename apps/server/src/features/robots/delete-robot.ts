import type { Tx } from "../../platform/database/database.ts";
import { HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import { findRobotOf, lockRobots, readStillMoving } from "../commands/public.ts";
import type { SeenAt } from "../sites/public.ts";
import { removeRobots } from "./remove-robots.repository.ts";
import { groupNameOf } from "./robot-grouping.repository.ts";

/**
 * Deletes a robot that stands and is in no group. Answers null, or the refusal, which is on record and is thrown after
 * the commit: 400, as the console expects (§7). Throws 404.
 */
export async function deleteRobotOf(tx: Tx, viewer: Viewer, robotId: number, seen: SeenAt): Promise<HttpError | null> {
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

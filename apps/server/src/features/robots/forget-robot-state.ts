import type { Tx } from "../../platform/database/database.ts";
import { conflict, type HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import { findRobotOf, lockRobots, readStillMoving, settleForgotten, showChange } from "../commands/public.ts";
import { closeRunsOfRemoved } from "../runs/public.ts";
import type { SeenAt } from "../sites/public.ts";
import { becomeOtherMachine } from "./robot-form.repository.ts";

export type Forgotten =
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

import { announceChange } from "../../platform/change-signal.ts";
import type { Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError } from "../../platform/database/transactions.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import { lockRobots, showChange } from "../commands/public.ts";
import { findGroup } from "./groups.queries.ts";
import { lockGroup, lockScheduleOf, membersOf, readCleaning, removeGroup } from "./groups.repository.ts";

/**
 * Deletes a group with its schedule and frees its robots. Those that are cleaning go on: when they stop belongs to
 * their run, so a planned run still ends in time. Throws 404.
 */
export async function deleteGroupOf(tx: Tx, viewer: Viewer, groupId: number, now: Date): Promise<void> {
  const { site_id: siteId } = await findGroup(viewer, tx, groupId);
  const schedule = await lockScheduleOf(tx, groupId);
  const members = await membersOf(tx, groupId);
  const robots = await lockRobots(tx, members);
  const locked = await lockGroup(tx, groupId);
  if (locked === null) throw notFound("Group");
  const { content: group } = locked;
  if (group.robot_ids.some((id) => !robots.has(id))) throw new ConcurrentChangeError();
  const cleaning = await readCleaning(tx, group.robot_ids);
  await removeGroup(tx, groupId, now);
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: "DELETE_GROUP",
    entity: "group",
    entityId: groupId,
    siteId,
    outcome: "DONE",
    before: { ...group, schedule, cleaning_robot_ids: cleaning },
    reason: cleaning.length === 0 ? null : "Robots of it that are cleaning go on until their time or a Stop.",
    at: now,
  });
  await showChange(tx, members);
  // Also where it had no robot left.
  await announceChange(tx);
}

import { changedNow, type Tx } from "../../platform/database/database.ts";
import { type AuditActor, recordAudits } from "../audit/public.ts";
import { membersOf } from "./groups.repository.ts";

/** Locks every schedule of a site: schedules come first in the order of locks. Answers how many there are. */
export async function lockSchedulesOfSite(tx: Tx, siteId: number): Promise<number> {
  const schedules = await tx
    .selectFrom("schedules")
    .select("id")
    .where("site_id", "=", siteId)
    .orderBy("id")
    .forUpdate()
    .execute();
  return schedules.length;
}

/**
 * Deletes every group of a site with its schedule, where the site itself is deleted; its schedules and robots are
 * locked by this transaction. Answers how many there were.
 */
export async function removeGroupsOfSite(tx: Tx, siteId: number, by: AuditActor, now: Date): Promise<number> {
  const groups = await tx
    .selectFrom("robot_groups")
    .select(["id", "group_name"])
    .where("site_id", "=", siteId)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  const removed: { id: number; before: { group_name: string; robot_ids: number[] } }[] = [];
  for (const { id, group_name } of groups) {
    removed.push({ id, before: { group_name, robot_ids: await membersOf(tx, id) } });
  }
  await tx.deleteFrom("schedules").where("site_id", "=", siteId).execute();
  await tx.deleteFrom("robot_group_members").where("site_id", "=", siteId).execute();
  await tx
    .updateTable("robot_groups")
    .set({ deleted_at: now, updated_at: now, change_no: changedNow })
    .where("site_id", "=", siteId)
    .where("deleted_at", "is", null)
    .execute();
  await recordAudits(
    tx,
    removed.map(({ id, before }) => ({
      actor: by,
      action: "DELETE_GROUP",
      entity: "group",
      entityId: id,
      siteId,
      outcome: "DONE" as const,
      before,
      reason: "Its site was deleted.",
      at: now,
    })),
  );
  return removed.length;
}

import { groupNameKey } from "@suncrew/domain/groups/groups.ts";
import { sql } from "kysely";
import { anyInt, changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import { type AuditActor, recordChanges } from "../audit/public.ts";
import { voidDecisions } from "../schedules/public.ts";

/** The name and robots of a group. */
export interface GroupContent {
  readonly group_name: string;
  readonly robot_ids: readonly number[];
}

interface LockedGroup {
  readonly content: GroupContent;
  readonly version: number;
}

export async function membersOf(db: Executor, groupId: number): Promise<number[]> {
  const rows = await db
    .selectFrom("robot_group_members")
    .select("robot_id")
    .where("group_id", "=", groupId)
    .orderBy("robot_id")
    .execute();
  return rows.map(({ robot_id }) => robot_id);
}

/** Locks a group, then reads it; null if it was deleted. Robots are locked before. */
export async function lockGroup(tx: Tx, groupId: number): Promise<LockedGroup | null> {
  const group = await tx
    .selectFrom("robot_groups")
    .select(["group_name", "version"])
    .where("id", "=", groupId)
    .where("deleted_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (group === undefined) return null;
  const { group_name, version } = group;
  return { content: { group_name, robot_ids: await membersOf(tx, groupId) }, version };
}

/** Whether another group of the site has that name, compared without case and spaces (§5). */
export async function isNameTaken(tx: Tx, siteId: number, name: string, exceptId: number | null): Promise<boolean> {
  const other = await tx
    .selectFrom("robot_groups")
    .select("id")
    .where("site_id", "=", siteId)
    .where("name_key", "=", groupNameKey(name))
    .where("deleted_at", "is", null)
    .$if(exceptId !== null, (query) => query.where("id", "!=", exceptId ?? 0))
    .executeTakeFirst();
  return other !== undefined;
}

/** Those of the robots that are in another group, with that group's name. */
export function readRobotsInOtherGroups(tx: Tx, robotIds: readonly number[], exceptGroupId: number | null) {
  return tx
    .selectFrom("robot_group_members as m")
    .innerJoin("robot_groups as g", "g.id", "m.group_id")
    .innerJoin("robots as r", "r.id", "m.robot_id")
    .select(["r.serial_number", "g.group_name"])
    .where("m.robot_id", "=", anyInt(robotIds))
    .$if(exceptGroupId !== null, (query) => query.where("m.group_id", "!=", exceptGroupId ?? 0))
    .orderBy("r.serial_number")
    .execute();
}

export async function insertGroup(tx: Tx, siteId: number, content: GroupContent, now: Date): Promise<number> {
  const { group_name } = content;
  const { id } = await tx
    .insertInto("robot_groups")
    .values({ site_id: siteId, group_name, name_key: groupNameKey(group_name), created_at: now, updated_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  await setMembers(tx, id, siteId, content.robot_ids);
  return id;
}

export async function changeGroup(
  tx: Tx,
  groupId: number,
  siteId: number,
  content: GroupContent,
  now: Date,
): Promise<void> {
  const { group_name } = content;
  await tx
    .updateTable("robot_groups")
    .set({ group_name, name_key: groupNameKey(group_name), updated_at: now, change_no: changedNow })
    .set((eb) => ({ version: eb("version", "+", 1) }))
    .where("id", "=", groupId)
    .execute();
  await setMembers(tx, groupId, siteId, content.robot_ids);
}

async function setMembers(tx: Tx, groupId: number, siteId: number, robotIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom("robot_group_members")
    .where("group_id", "=", groupId)
    .where("robot_id", "!=", sql<number>`all(${[...robotIds]}::int[])`)
    .execute();
  // A robot that another group took concurrently violates the primary key, and is found on the next attempt.
  await sql`
    insert into robot_group_members (robot_id, group_id, site_id)
    select robot_id, ${groupId}, ${siteId} from unnest(${[...robotIds]}::int[]) robot_id
    where robot_id not in (select robot_id from robot_group_members where group_id = ${groupId})`.execute(tx);
}

/** The schedule of a group, locked: schedules come first in the order of locks. Null if it has none. */
export async function lockScheduleOf(tx: Tx, groupId: number) {
  const schedule = await tx
    .selectFrom("schedules")
    .select(["id", "frequency", "start_time", "duration_minutes", "skip_on_rain", "status"])
    .where("group_id", "=", groupId)
    .forUpdate()
    .executeTakeFirst();
  return schedule ?? null;
}

/** With what was decided of their runs to come. */
async function deleteSchedules(tx: Tx, of: "group_id" | "site_id", id: number, now: Date): Promise<void> {
  const schedules = await tx.deleteFrom("schedules").where(of, "=", id).returning(["id", "next_run_at"]).execute();
  for (const schedule of schedules) await voidDecisions(tx, schedule, now);
}

/** Soft-deletes a group, so that history keeps its name, and frees its robots. Its schedule is deleted. */
export async function removeGroup(tx: Tx, groupId: number, now: Date): Promise<void> {
  await deleteSchedules(tx, "group_id", groupId, now);
  await tx.deleteFrom("robot_group_members").where("group_id", "=", groupId).execute();
  await tx
    .updateTable("robot_groups")
    .set({ deleted_at: now, updated_at: now, change_no: changedNow })
    .where("id", "=", groupId)
    .execute();
}

/** Locks every schedule of a site: schedules come first in the order of locks. Returns their number. */
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
 * Deletes every group of a site with its schedule when the site itself is deleted; its schedules and robots are locked
 * by this transaction. Returns their number.
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
  const about = {
    actor: by,
    action: "DELETE_GROUP",
    entity: "group",
    siteId,
    reason: "Its site was deleted.",
    at: now,
  };
  const removed: (typeof about & { readonly entityId: number; readonly before: GroupContent })[] = [];
  for (const { id, group_name } of groups) {
    removed.push({ ...about, entityId: id, before: { group_name, robot_ids: await membersOf(tx, id) } });
  }
  await deleteSchedules(tx, "site_id", siteId, now);
  await tx.deleteFrom("robot_group_members").where("site_id", "=", siteId).execute();
  await tx
    .updateTable("robot_groups")
    .set({ deleted_at: now, updated_at: now, change_no: changedNow })
    .where("site_id", "=", siteId)
    .where("deleted_at", "is", null)
    .execute();
  await recordChanges(tx, removed);
  return removed.length;
}

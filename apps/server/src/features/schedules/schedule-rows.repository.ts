import { type Insertable, sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Tx } from "../../platform/database/database.ts";
import type { SchedulesTable } from "../../platform/database/schema.ts";
import type { ScheduleRow } from "./schedule-answer.ts";

/** Lock order of everything that writes about schedules: the schedule, then robots, then the group. */
export async function lockSchedule(tx: Tx, scheduleId: number): Promise<ScheduleRow | null> {
  const row = await tx.selectFrom("schedules").selectAll().where("id", "=", scheduleId).forUpdate().executeTakeFirst();
  return row ?? null;
}

/** A schedule that has a next run, with what else its runs need. */
export interface PlannedSchedule {
  readonly row: ScheduleRow;
  readonly groupName: string;
  readonly timezone: string;
}

/** Locks the schedules of a site that have a next run, by the zone that the site has until now. */
export async function lockPlannedOfSite(tx: Tx, siteId: number): Promise<PlannedSchedule[]> {
  const rows = await tx
    .selectFrom("schedules as s")
    .innerJoin("robot_groups as g", "g.id", "s.group_id")
    .innerJoin("sites", "sites.id", "s.site_id")
    .selectAll("s")
    .select(["g.group_name as groupName", "sites.timezone"])
    .where("s.site_id", "=", siteId)
    .where("s.next_run_at", "is not", null)
    .where("g.deleted_at", "is", null)
    .orderBy("s.id")
    .forUpdate("s")
    .execute();
  return rows.map(({ groupName, timezone, ...row }) => ({ row, groupName, timezone }));
}

/** Keeps a schedule as it is until the end of the transaction; false where it was deleted. */
export async function holdSchedule(tx: Tx, scheduleId: number): Promise<boolean> {
  const row = await tx.selectFrom("schedules").select("id").where("id", "=", scheduleId).forShare().executeTakeFirst();
  return row !== undefined;
}

export type SchedulePlan = Pick<
  Insertable<SchedulesTable>,
  "frequency" | "start_time" | "duration_minutes" | "status" | "next_run_at"
> & { readonly skip_on_rain: boolean };

/** Null where the group has a schedule already, also where two people save at once. */
export async function insertSchedule(
  tx: Tx,
  group: { readonly groupId: number; readonly siteId: number },
  plan: SchedulePlan,
  now: Date,
): Promise<ScheduleRow | null> {
  const row = await tx
    .insertInto("schedules")
    .values({ group_id: group.groupId, site_id: group.siteId, ...plan, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column("group_id").doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** What stands in the form afterwards counts as an edit where it differs; the next run alone does not. */
export async function changeSchedule(tx: Tx, scheduleId: number, plan: SchedulePlan, now: Date): Promise<ScheduleRow> {
  return tx
    .updateTable("schedules")
    .set({ ...plan, updated_at: now })
    .set((eb) => ({
      version: sql<number>`${eb.ref("version")} + (
        (frequency, start_time, duration_minutes, skip_on_rain, status) is distinct from
        (${plan.frequency}, ${plan.start_time}, ${plan.duration_minutes}::int, ${plan.skip_on_rain}::boolean, ${plan.status})
      )::int`,
    }))
    .where("id", "=", scheduleId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function removeSchedule(tx: Tx, scheduleId: number): Promise<void> {
  await tx.deleteFrom("schedules").where("id", "=", scheduleId).execute();
}

/** Lets the live stream tell that the schedule of the group changed. False where the group was deleted meanwhile. */
export async function showGroupChange(tx: Tx, groupId: number): Promise<boolean> {
  const touched = await tx
    .updateTable("robot_groups")
    .set({ change_no: changedNow })
    .where("id", "=", groupId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  await announceChange(tx);
  return touched.numUpdatedRows > 0n;
}

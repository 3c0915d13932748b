import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import { STARTS_LATE_UP_TO_MS } from "@suncrew/domain/schedules/due-decision.ts";
import { sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";
import type { WeatherSite } from "../weather/public.ts";

/** A schedule that is due; whoever locks it first serves it. */
export interface DueSchedule {
  readonly id: number;
  readonly nextRunAt: Date;
  readonly durationMinutes: number;
  readonly skipOnRain: boolean;
  readonly site: WeatherSite;
}

/** Those of one look; the rest follow a second later. */
const MAX_SCHEDULES = 500;

/** Due and not missed by then, with or without a look at the weather; or due for so long that runs were missed. */
export type DueKind = "on-time" | "asks-weather" | "overdue";

/** What is due by now; of what is overdue the least first, so that it is soonest on time again. */
export async function findDue(db: Db, now: Date, kind: DueKind): Promise<DueSchedule[]> {
  const missedUpTo = new Date(now.getTime() - STARTS_LATE_UP_TO_MS);
  const rows = await dueNow(db, now)
    .select(["s.id", "s.next_run_at", "s.duration_minutes", "s.skip_on_rain", "s.site_id as siteId"])
    .select(["sites.latitude", "sites.longitude", "sites.timezone"])
    .where("s.next_run_at", kind === "overdue" ? "<=" : ">", missedUpTo)
    .$if(kind !== "overdue", (query) => query.where("s.skip_on_rain", "=", kind === "asks-weather"))
    // Those that wait for robots already are looked at after the others, and hold none up.
    .orderBy(sql`(s.waiting_due_at = s.next_run_at) is true`)
    .orderBy("s.next_run_at", kind === "overdue" ? "desc" : "asc")
    .limit(MAX_SCHEDULES)
    .execute();
  return rows.flatMap(({ id, next_run_at, duration_minutes, skip_on_rain, ...site }) =>
    next_run_at === null
      ? []
      : [{ id, nextRunAt: next_run_at, durationMinutes: duration_minutes, skipOnRain: skip_on_rain, site }],
  );
}

/** A due schedule under lock, with what its runs need. */
export interface LockedSchedule {
  readonly id: number;
  readonly siteId: number;
  readonly groupId: number;
  readonly groupName: string;
  readonly timezone: string;
  readonly startTime: string;
  readonly frequency: Frequency;
  readonly durationMinutes: number;
  readonly skipOnRain: boolean;
  readonly nextRunAt: Date;
}

/** Locks a schedule that is still due; null where another server has it, or has served it already. */
export async function lockDue(tx: Tx, scheduleId: number, now: Date): Promise<LockedSchedule | null> {
  const row = await dueNow(tx, now)
    .select(["s.id", "s.site_id as siteId", "s.group_id as groupId", "g.group_name as groupName", "sites.timezone"])
    .select(["s.start_time as startTime", "s.frequency", "s.duration_minutes as durationMinutes"])
    .select(["s.skip_on_rain as skipOnRain", "s.next_run_at"])
    .where("s.id", "=", scheduleId)
    .forUpdate("s")
    .skipLocked()
    .executeTakeFirst();
  if (!row || row.next_run_at === null) return null;
  const { next_run_at: nextRunAt, ...rest } = row;
  return { ...rest, nextRunAt };
}

function dueNow(db: Db | Tx, now: Date) {
  return db
    .selectFrom("schedules as s")
    .innerJoin("robot_groups as g", "g.id", "s.group_id")
    .innerJoin("sites", "sites.id", "s.site_id")
    .where("s.next_run_at", "<=", now)
    .where("g.deleted_at", "is", null)
    .where("sites.deleted_at", "is", null);
}

/** The robots that a group has now. */
export async function readMemberIds(tx: Tx, groupId: number): Promise<number[]> {
  const rows = await tx
    .selectFrom("robot_group_members as m")
    .innerJoin("robots as r", "r.id", "m.robot_id")
    .select("m.robot_id")
    .where("m.group_id", "=", groupId)
    .where("r.deleted_at", "is", null)
    .orderBy("m.robot_id")
    .execute();
  return rows.map((row) => row.robot_id);
}

/** Notes what a due run waits for, in words; false where that is on record already, or somebody has the schedule. */
export async function tellWaiting(db: Db | Tx, scheduleId: number, dueAt: Date, waiting: string): Promise<boolean> {
  const told = await sql`
    update schedules set waiting = ${waiting}, waiting_due_at = ${dueAt}
    where id in (select id from schedules where id = ${scheduleId} and next_run_at = ${dueAt} for update skip locked)
      and (waiting, waiting_due_at) is distinct from (${waiting}, ${dueAt}::timestamptz)
  `.execute(db);
  return (told.numAffectedRows ?? 0n) > 0n;
}

/** Sets when a schedule is due next; without another time it is completed. */
export async function advance(tx: Tx, scheduleId: number, next: Date | null): Promise<void> {
  await tx
    .updateTable("schedules")
    .set({ next_run_at: next, ...(next === null && { status: "COMPLETED" as const }) })
    .where("id", "=", scheduleId)
    .execute();
}

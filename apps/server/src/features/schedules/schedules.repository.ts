import type { OutcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import { STARTS_LATE_UP_TO_MS } from "@suncrew/domain/schedules/due-decision.ts";
import { type Insertable, sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { LockedRobot } from "../commands/public.ts";
import type { Occurrence } from "../runs/public.ts";
import type { ScheduleRow } from "./schedule-row.ts";
import { type Override, scheduledRunReasons } from "./scheduler-messages.ts";

/** Lock order of everything that writes about schedules: the schedule, then robots, then the group. */
export async function lockSchedule(tx: Tx, scheduleId: number): Promise<ScheduleRow | null> {
  const row = await tx.selectFrom("schedules").selectAll().where("id", "=", scheduleId).forUpdate().executeTakeFirst();
  return row ?? null;
}

/** A locked schedule with what else its runs need. */
export interface LockedSchedule extends ScheduleRow {
  readonly group_name: string;
  readonly timezone: string;
}

/** Locks the schedules of a site that have a next run, with the site's current zone. */
export function lockPlannedOfSite(tx: Tx, siteId: number): Promise<LockedSchedule[]> {
  return selectWithGroup(tx)
    .where("s.site_id", "=", siteId)
    .where("s.next_run_at", "is not", null)
    .orderBy("s.id")
    .forUpdate("s")
    .execute();
}

/** Locks a schedule that is still due; null if another server has locked or already served it. */
export async function lockDue(tx: Tx, scheduleId: number, now: Date): Promise<LockedSchedule | null> {
  const row = await selectWithGroup(tx)
    .where("s.next_run_at", "<=", now)
    .where("sites.deleted_at", "is", null)
    .where("s.id", "=", scheduleId)
    .forUpdate("s")
    .skipLocked()
    .executeTakeFirst();
  return row ?? null;
}

function selectWithGroup(db: Executor) {
  return db
    .selectFrom("schedules as s")
    .innerJoin("robot_groups as g", "g.id", "s.group_id")
    .innerJoin("sites", "sites.id", "s.site_id")
    .selectAll("s")
    .select(["g.group_name", "sites.timezone"])
    .where("g.deleted_at", "is", null);
}

/** Prevents changes to a schedule until the end of the transaction; false if it was deleted. */
export async function lockScheduleShared(tx: Tx, scheduleId: number): Promise<boolean> {
  const row = await tx.selectFrom("schedules").select("id").where("id", "=", scheduleId).forShare().executeTakeFirst();
  return row !== undefined;
}

export type SchedulePlan = Pick<
  Insertable<Tables["schedules"]>,
  "frequency" | "start_time" | "duration_minutes" | "status" | "next_run_at" | "least_days" | "most_days"
> & { readonly skip_on_rain: boolean };

/** Null if the group already has a schedule, even if two people save concurrently. */
export async function insertSchedule(
  tx: Tx,
  { group_id, site_id }: Pick<ScheduleRow, "group_id" | "site_id">,
  plan: SchedulePlan,
  now: Date,
): Promise<ScheduleRow | null> {
  const row = await tx
    .insertInto("schedules")
    .values({ group_id, site_id, ...plan, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column("group_id").doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Counts as an edit (a new version) only if a field of the form differs; a new next run alone does not. */
export async function changeSchedule(tx: Tx, scheduleId: number, plan: SchedulePlan, now: Date): Promise<ScheduleRow> {
  return tx
    .updateTable("schedules")
    .set({ ...plan, updated_at: now })
    .set((eb) => ({
      version: sql<number>`${eb.ref("version")} + (
        (frequency, start_time, duration_minutes, skip_on_rain, status, least_days, most_days) is distinct from
        (${plan.frequency}, ${plan.start_time}, ${plan.duration_minutes}::int, ${plan.skip_on_rain}::boolean,
          ${plan.status}, ${plan.least_days ?? null}::int, ${plan.most_days ?? null}::int)
      )::int`,
    }))
    .where("id", "=", scheduleId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteScheduleRow(tx: Tx, scheduleId: number): Promise<void> {
  await tx.deleteFrom("schedules").where("id", "=", scheduleId).execute();
}

/** Makes live streams send the group again with its schedule. False if the group has been deleted. */
export async function touchGroup(tx: Tx, groupId: number): Promise<boolean> {
  const touched = await tx
    .updateTable("robot_groups")
    .set({ change_no: changedNow })
    .where("id", "=", groupId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  await announceChange(tx);
  return touched.numUpdatedRows > 0n;
}

/** Per poll; the rest follow a second later. */
const MAX_SCHEDULES = 500;

/** Due and not yet missed, without or with a check of the weather; or due for so long that runs were missed. */
export type DueKind = "on-time" | "weather-dependent" | "overdue";

/**
 * Schedules due by `now`, each with the place of its site; the first server to lock one serves it. Among overdue ones
 * the least overdue come first, so that they catch up soonest.
 */
export function findDue(db: Executor, now: Date, kind: DueKind) {
  const missedUpTo = new Date(now.getTime() - STARTS_LATE_UP_TO_MS);
  return (
    selectWithGroup(db)
      .select(["s.site_id as siteId", "sites.latitude", "sites.longitude"])
      .$narrowType<{ next_run_at: Date }>()
      .where("s.next_run_at", "<=", now)
      .where("sites.deleted_at", "is", null)
      .where("s.next_run_at", kind === "overdue" ? "<=" : ">", missedUpTo)
      .$if(kind !== "overdue", (query) => query.where("s.skip_on_rain", "=", kind === "weather-dependent"))
      // Schedules that already wait for robots come last, so that they delay no others.
      .orderBy(sql`(s.waiting_due_at = s.next_run_at) is true`)
      .orderBy("s.next_run_at", kind === "overdue" ? "desc" : "asc")
      .limit(MAX_SCHEDULES)
      .execute()
  );
}
export type DueSchedule = Awaited<ReturnType<typeof findDue>>[number];

/** The robots currently in a group. */
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

/**
 * Stores the text of what a due run waits for; false if it is already stored, or the schedule is locked. What is already
 * stored locks nothing: a server that can serve the schedule at this moment would pass it over.
 */
export async function recordWaiting(db: Executor, scheduleId: number, dueAt: Date, waiting: string): Promise<boolean> {
  const updated = await sql`
    update schedules set waiting = ${waiting}, waiting_due_at = ${dueAt}
    where id in (
      select id from schedules
      where id = ${scheduleId} and next_run_at = ${dueAt}
        and (waiting, waiting_due_at) is distinct from (${waiting}, ${dueAt}::timestamptz)
      for update skip locked
    )
  `.execute(db);
  return (updated.numAffectedRows ?? 0n) > 0n;
}

/** Sets when a schedule is due next; one without a next time is completed. */
export async function advanceNextRun(tx: Tx, scheduleId: number, next: Date | null): Promise<void> {
  await tx
    .updateTable("schedules")
    .set({ next_run_at: next, ...(next === null && { status: "COMPLETED" as const }) })
    .where("id", "=", scheduleId)
    .execute();
}

/** One advisory lock per site for its time zone; the number is arbitrary. */
const ZONE_LOCK = 7_305_008;

/**
 * Prevents changes to a site's time zone until the end of the transaction, so that no schedule is planned in an
 * outdated zone. Taken before any row of schedules is locked; what is read of the site afterwards stays true.
 */
export async function lockZoneShared(tx: Tx, siteId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${ZONE_LOCK}::int, ${siteId}::int)`.execute(tx);
}

/** Waits for transactions that plan schedules of the site, and blocks new ones until the new time zone is stored. */
export async function lockZone(tx: Tx, siteId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ZONE_LOCK}::int, ${siteId}::int)`.execute(tx);
}

/** Maximum stops and locks by people that can matter per robot: older ones are long settled. */
const NEWEST = 10;

/**
 * Among robots that this transaction has locked, finds those that must not be started because a person acted since the
 * run was due, each with the reason: the person's last action decides, not the scheduler. A robot that has left the
 * group has no reason and is not among `memberIds`.
 */
export async function findManualOverrides(
  tx: Tx,
  { group_id: groupId, due_at: dueAt }: Occurrence,
  robots: readonly LockedRobot[],
): Promise<{ readonly memberIds: readonly number[]; readonly reasons: ReadonlyMap<number, OutcomeText> }> {
  const members = new Set(await readMemberIds(tx, groupId));
  const inGroup = robots.filter(({ id }) => members.has(id));
  const memberIds = inGroup.map(({ id }) => id);
  if (await isGroupChanged(tx, groupId, dueAt)) {
    return { memberIds, reasons: new Map(memberIds.map((robotId) => [robotId, scheduledRunReasons.groupChanged])) };
  }
  return { memberIds, reasons: await findRobotOverrides(tx, dueAt, inGroup) };
}

/**
 * For robots that this transaction has locked: what people did to them since the due time, as the reason not to start.
 */
export async function findRobotOverrides(
  tx: Tx,
  dueAt: Date,
  robots: readonly LockedRobot[],
): Promise<Map<number, OutcomeText>> {
  const left = robots.filter(({ goodbye_at }) => goodbye_at !== null && goodbye_at >= dueAt);
  const saidGoodbye = left.map(({ id, serial_number }) => {
    return [id, scheduledRunReasons.saidGoodbye(serial_number)] as const;
  });
  const robotIds = robots.map(({ id }) => id);
  return new Map([...saidGoodbye, ...(await findCommandsByPeople(tx, dueAt, robotIds))]);
}

/** Its members may have changed: nobody intended a robot added afterwards to start moving. */
async function isGroupChanged(tx: Tx, groupId: number, dueAt: Date): Promise<boolean> {
  const changed = await tx
    .selectFrom("robot_groups")
    .select("id")
    .where("id", "=", groupId)
    .where("updated_at", ">", dueAt)
    .executeTakeFirst();
  return changed !== undefined;
}

/** Stops, locks and releases that people gave since the due time, and earlier ones that were still open then. */
async function findCommandsByPeople(
  tx: Tx,
  dueAt: Date,
  robotIds: readonly number[],
): Promise<Map<number, OutcomeText>> {
  if (robotIds.length === 0) return new Map();
  const { rows } = await sql<{ robot_id: number; verb: Override; requested_by: string }>`
    select distinct on (c.robot_id) c.robot_id, c.verb, c.requested_by
    from unnest(${[...robotIds]}::int[]) as r (id)
    cross join lateral (
      select robot_id, seq, verb, requested_by, issued_at, settled_at from commands
      where robot_id = r.id and verb in ('STOP', 'MAINTENANCE_ON', 'MAINTENANCE_OFF')
        and action_type in ('MANUAL', 'GROUP')
      order by seq desc limit ${NEWEST}
    ) c
    where c.issued_at >= ${dueAt} or c.settled_at is null or c.settled_at >= ${dueAt}
    order by c.robot_id, c.seq desc
  `.execute(tx);
  return new Map(
    rows.map(({ robot_id, verb, requested_by }) => [robot_id, scheduledRunReasons.byPerson(verb, requested_by)]),
  );
}

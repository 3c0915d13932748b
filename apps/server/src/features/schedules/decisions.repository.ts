import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import { daysBetween } from "@suncrew/domain/schedules/calendar-date.ts";
import { decidesAt, STARTS_LATE_UP_TO_MS } from "@suncrew/domain/schedules/due-decision.ts";
import { siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { decideEvening, type Evening } from "@suncrew/domain/soiling/cleaning-by-need.ts";
import { sql } from "kysely";
import type { Db, Executor, Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { DecisionRow, ScheduleRow } from "./schedule-row.ts";
import { touchGroup } from "./schedules.repository.ts";

/** What is decided for schedules "when worth it", each day once by whichever server comes first. */

/** Decisions are kept as long as the weather that they were made from. */
const KEPT_DAYS = 400;
/** Per poll; the rest follow. */
const MAX_UNDECIDED = 20;

interface UndecidedSchedule extends Pick<ScheduleRow, "id" | "version" | "site_id" | "group_id"> {
  readonly timezone: string;
  readonly next_run_at: Date;
  readonly least_days: number;
  readonly most_days: number;
}

/** Schedules whose next run is to be decided by now, unless it is too late for it: those most urgent first. */
export async function findUndecided(db: Executor, now: Date): Promise<UndecidedSchedule[]> {
  const aheadMs = now.getTime() - decidesAt(now).getTime();
  const { rows } = await sql<UndecidedSchedule>`
    select s.id, s.version, s.site_id, s.group_id, s.next_run_at, s.least_days, s.most_days, sites.timezone
    from schedules s
    join robot_groups g on g.id = s.group_id and g.deleted_at is null
    join sites on sites.id = s.site_id and sites.deleted_at is null
    where s.frequency = 'WHEN_WORTH_IT' and s.next_run_at <= ${new Date(now.getTime() + aheadMs)}
      and s.next_run_at > ${new Date(now.getTime() - STARTS_LATE_UP_TO_MS)}
      and not exists (select from schedule_decisions d
        where d.schedule_id = s.id and d.due_at = s.next_run_at and d.voided_at is null)
    order by s.next_run_at limit ${MAX_UNDECIDED}`.execute(db);
  return rows;
}

/** What a cleaning of these robots' rows is worth when it is due, and the rain after that. */
export type WorthOfRobots = (
  siteId: number,
  robotIds: readonly number[],
  times: { readonly now: Date; readonly dueAt: Date },
) => Promise<Pick<Evening, "worth" | "rain">>;

/**
 * Decides whether a schedule runs at its next time, and stores it unless the schedule has changed or another server was
 * first. Rejects if what it is decided from cannot be read; once it is due, without that, as if it were unknown:
 * `onFailure` is told.
 */
export async function decideSchedule(
  db: Db,
  schedule: UndecidedSchedule,
  now: Date,
  worthOf: WorthOfRobots,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const { next_run_at: dueAt, site_id, group_id, timezone, least_days: leastDays, most_days: mostDays } = schedule;
  const robotIds = await readCountedRobots(db, group_id);
  const lastRun = await readLastRun(db, robotIds);
  const daysSinceRun = lastRun && daysBetween(siteToday(timezone, lastRun), siteToday(timezone, dueAt));
  const evening = await worthOf(site_id, robotIds, { now, dueAt }).catch((error: unknown) => {
    if (now < dueAt) throw error;
    onFailure(error);
    return { worth: null, rain: null };
  });
  const decision = decideEvening({ daysSinceRun, ...evening }, { leastDays, mostDays });
  await transactionWithRetry(db, async (tx) => {
    const current = await tx
      .selectFrom("schedules")
      .select("id")
      .where("id", "=", schedule.id)
      .where("version", "=", schedule.version)
      .where("next_run_at", "=", dueAt)
      .forUpdate()
      .executeTakeFirst();
    if (current !== undefined && (await insertDecision(tx, schedule, dueAt, decision, now)))
      await touchGroup(tx, group_id);
  });
}

/**
 * The robots of a group whose rows count: without those in maintenance or offline, whose rows would become dirtier with
 * every run that they miss and have the others run for them. All of them if no other is left.
 */
async function readCountedRobots(db: Executor, groupId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number; counts: boolean }>`
    select r.id, p.connection = 'ONLINE' and l.id is null as counts
    from robot_group_members m
    join robots r on r.id = m.robot_id and r.deleted_at is null
    left join robot_state p on p.robot_id = r.id
    left join maintenance_locks l on l.robot_id = r.id and l.released_at is null
    where m.group_id = ${groupId} order by r.id`.execute(db);
  const counted = rows.filter(({ counts }) => counts);
  return (counted.length > 0 ? counted : rows).map(({ id }) => id);
}

/** Since when at least half of these robots have completed a run, by hand or planned; null if they have not. */
async function readLastRun(db: Executor, robotIds: readonly number[]): Promise<Date | null> {
  const { rows } = await sql<{ began_at: Date | null }>`
    select (select max(began_at) from runs where robot_id = r.id and outcome = 'COMPLETED') as began_at
    from unnest(${[...robotIds]}::int[]) as r (id)
    order by began_at desc nulls last`.execute(db);
  return rows[Math.ceil(rows.length / 2) - 1]?.began_at ?? null;
}

/** False if it has been decided. */
export async function insertDecision(
  tx: Tx,
  schedule: Pick<ScheduleRow, "id" | "site_id" | "group_id">,
  due_at: Date,
  { runs, code, params, text }: CodedText & { readonly runs: boolean },
  now: Date,
): Promise<boolean> {
  const { id: schedule_id, site_id, group_id } = schedule;
  const row = await tx
    .insertInto("schedule_decisions")
    .values({
      schedule_id,
      site_id,
      group_id,
      due_at,
      decided_at: now,
      runs,
      reason: text,
      reason_code: code,
      reason_params: params,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  await tx
    .deleteFrom("schedule_decisions")
    .where("group_id", "=", group_id)
    .where("due_at", "<", new Date(now.getTime() - KEPT_DAYS * 86_400_000))
    .execute();
  return row !== undefined;
}

/** What was decided for this time; null if nothing was. */
export async function readDecision(db: Executor, scheduleId: number, dueAt: Date): Promise<DecisionRow | null> {
  const row = await db
    .selectFrom("schedule_decisions")
    .select(["decided_at", "runs", "reason", "reason_code"])
    .where("schedule_id", "=", scheduleId)
    .where("due_at", "=", dueAt)
    .where("voided_at", "is", null)
    .executeTakeFirst();
  return row ?? null;
}

/** After a change of a schedule, or of all: what was decided of times to come no longer counts. */
export async function voidDecisions(tx: Tx, scheduleId: number | null, now: Date): Promise<void> {
  await tx
    .updateTable("schedule_decisions")
    .set({ voided_at: now })
    .where("voided_at", "is", null)
    .where("due_at", ">", now)
    .$if(scheduleId !== null, (query) => query.where("schedule_id", "=", scheduleId ?? 0))
    .execute();
}

import type { CodedText } from "@suncrew/contract/http/coded-text.ts";
import { daysBetween } from "@suncrew/domain/schedules/calendar-date.ts";
import { decidesAt, STARTS_LATE_UP_TO_MS } from "@suncrew/domain/schedules/due-decision.ts";
import { siteToday } from "@suncrew/domain/schedules/site-time.ts";
import { decideEvening, type Evening, LAST_RUN_SHARE } from "@suncrew/domain/soiling/cleaning-by-need.ts";
import { sql } from "kysely";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { readLastCleanings } from "../soiling/public.ts";
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

/**
 * Schedules whose next run is to be decided by now, unless it is too late for it: those most urgent first. Without
 * `waiting`, which failed and would take the place of others.
 */
export async function findUndecided(db: Executor, now: Date, waiting: readonly number[]): Promise<UndecidedSchedule[]> {
  const aheadMs = now.getTime() - decidesAt(now).getTime();
  const { rows } = await sql<UndecidedSchedule>`
    select s.id, s.version, s.site_id, s.group_id, s.next_run_at, s.least_days, s.most_days, sites.timezone
    from schedules s
    join robot_groups g on g.id = s.group_id and g.deleted_at is null
    join sites on sites.id = s.site_id and sites.deleted_at is null
    where s.frequency = 'WHEN_WORTH_IT' and s.next_run_at <= ${new Date(now.getTime() + aheadMs)}
      and s.next_run_at > ${new Date(now.getTime() - STARTS_LATE_UP_TO_MS)}
      and s.id <> all (${[...waiting]}::int[])
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
 * first. Rejects if it depends on what a cleaning is worth and that cannot be computed.
 */
export async function decideSchedule(
  { db, clock }: Pick<Dependencies, "db" | "clock">,
  schedule: UndecidedSchedule,
  worthOf: WorthOfRobots,
): Promise<void> {
  const now = clock.now();
  const { next_run_at: dueAt, site_id, group_id, timezone, least_days: least, most_days: most } = schedule;
  const robotIds = await readCountedRobots(db, group_id);
  const lastRun = await readLastRun(db, robotIds);
  const daysSinceRun = lastRun && daysBetween(siteToday(timezone, lastRun), siteToday(timezone, dueAt));
  const days = { least, most };
  const byDays = decideEvening({ daysSinceRun, worth: null, rain: null }, days);
  const decision =
    byDays.code === "NOT_KNOWN"
      ? decideEvening({ daysSinceRun, ...(await worthOf(site_id, robotIds, { now, dueAt })) }, days)
      : byDays;
  await transactionWithRetry(db, async (tx) => {
    const current = await tx
      .selectFrom("schedules")
      .select("id")
      .where("id", "=", schedule.id)
      .where("version", "=", schedule.version)
      .where("next_run_at", "=", dueAt)
      .forUpdate()
      .executeTakeFirst();
    // What a cleaning is worth may have taken a while to compute.
    if (current !== undefined && (await insertDecision(tx, schedule, dueAt, decision, clock.now())))
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

/** Since when at least half of these robots have cleaned most of their rows, by hand or planned; null if they have not. */
async function readLastRun(db: Executor, robotIds: readonly number[]): Promise<Date | null> {
  const cleanings = await readLastCleanings(db, robotIds, LAST_RUN_SHARE);
  const newestFirst = cleanings.toSorted((one, other) => (other?.getTime() ?? 0) - (one?.getTime() ?? 0));
  return newestFirst[Math.ceil(newestFirst.length / 2) - 1] ?? null;
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

/**
 * After a change of a schedule, as it was, or of all: what was decided of times to come no longer counts. What it ran by
 * still does, even if that was served after `now`, while the change waited for its lock.
 */
export async function voidDecisions(
  tx: Tx,
  schedule: Pick<ScheduleRow, "id" | "next_run_at"> | null,
  now: Date,
): Promise<void> {
  await tx
    .updateTable("schedule_decisions as d")
    .set({ voided_at: now })
    .where("d.voided_at", "is", null)
    .where("d.due_at", ">", now)
    .$if(schedule !== null, (query) =>
      query
        .where("d.schedule_id", "=", schedule?.id ?? 0)
        .where("d.due_at", ">=", schedule?.next_run_at ?? now)
        .where(
          sql<boolean>`not exists (select from runs r where r.schedule_id = d.schedule_id and r.due_at = d.due_at)`,
        ),
    )
    .execute();
}

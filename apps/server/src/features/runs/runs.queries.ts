import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import {
  type CalendarEntry,
  type RecordedCount,
  type Run,
  type RunCounts,
  type RunOfToday,
  RUNS_OF_TODAY_LIMIT,
  type runsCalendar,
} from "@suncrew/contract/runs/runs.ts";
import { addDays, startOfWeek } from "@suncrew/domain/schedules/calendar-date.ts";
import { runsBetween } from "@suncrew/domain/schedules/next-run.ts";
import { localTimeOf, siteToday, startOfDay } from "@suncrew/domain/schedules/site-time.ts";
import { sql } from "kysely";
import { anyUuid, type Executor } from "../../platform/database/database.ts";
import { invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { requireSiteEver, sitesEverVisible, visibleSites } from "../sites/public.ts";
import { heldEntry, isPlanned, plannedEntry, recordedEntries, requireCalendarDate } from "./calendar-entries.ts";
import { countRuns, outcomesOf } from "@suncrew/domain/runs/run-outcome.ts";
import { reasonText, stoppedBy } from "./run-reasons.ts";

export interface RunFilter {
  readonly ids?: readonly string[];
  readonly siteId?: number | undefined;
  readonly robotId?: number | undefined;
  /** Runs due or begun from this instant on, and before that one. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** `microseconds~id` of the run after which the page begins. */
  readonly cursor?: string | undefined;
  readonly limit?: number;
}

/**
 * Runs at the viewer's sites, including deleted ones, newest first, with the cursor of each and the names at the time.
 */
export async function readRuns(
  viewer: Viewer,
  db: Executor,
  choice: RunFilter,
): Promise<{ readonly run: Run; readonly cursor: string }[]> {
  let query = sitesEverVisible(viewer, db)
    .innerJoin("runs", "runs.site_id", "sites.id")
    .select(["runs.id", "runs.site_id", "runs.robot_id", "runs.robot_name", "runs.serial_number"])
    .select(["runs.schedule_id", "runs.group_id", "runs.group_name", "runs.action_type", "runs.started_by"])
    .select(["runs.due_at", "runs.stop_due_at", "runs.began_at", "runs.ended_at", "runs.battery_began"])
    .select(["runs.battery_ended", "runs.outcome", "runs.reason", "runs.sample", "runs.planned"])
    .select(sql<string>`(extract(epoch from runs.at) * 1000000)::bigint::text`.as("micros"))
    .select(stoppedBy.as("stopped_by"))
    .orderBy("runs.at", "desc")
    .orderBy("runs.id", "desc");
  const { ids, siteId, robotId, from, to, cursor, limit } = choice;
  if (ids !== undefined) query = query.where("runs.id", "=", anyUuid(ids));
  if (siteId !== undefined) query = query.where("runs.site_id", "=", siteId);
  if (robotId !== undefined) query = query.where("runs.robot_id", "=", robotId);
  if (from !== undefined) query = query.where("runs.at", ">=", from);
  if (to !== undefined) query = query.where("runs.at", "<", to);
  if (limit !== undefined) query = query.limit(limit);
  if (cursor !== undefined) {
    const [micros = "", id = ""] = cursor.split("~");
    query = query.where(
      sql<boolean>`(runs.at, runs.id) < (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)`,
    );
  }
  const rows = await query.execute();
  return rows.map(({ micros, planned, stopped_by: stoppedByName, ...row }) => ({
    cursor: `${micros}~${row.id}`,
    run: {
      ...row,
      due_at: row.due_at?.toISOString() ?? null,
      stop_due_at: row.stop_due_at?.toISOString() ?? null,
      began_at: row.began_at?.toISOString() ?? null,
      ended_at: row.ended_at?.toISOString() ?? null,
      reason: reasonText({ outcome: row.outcome, reason: row.reason, planned, stoppedBy: stoppedByName }),
    },
  }));
}

/**
 * Throws 404 if the site or robot of a filter is outside the viewer's scope, and 400 if they do not belong together.
 */
export async function requireFilterInScope(
  viewer: Viewer,
  db: Executor,
  { siteId, robotId }: RunFilter,
): Promise<void> {
  if (siteId !== undefined) await requireSiteEver(viewer, db, siteId);
  if (robotId === undefined) return;
  // Deleted robots and sites keep their history, and so does a site that a robot has left.
  const sites = await sitesEverVisible(viewer, db)
    .select("sites.id")
    .where("sites.id", "in", (eb) =>
      eb
        .selectFrom("robots")
        .select("robots.site_id")
        .where("robots.id", "=", robotId)
        .union(eb.selectFrom("runs").select("runs.site_id").where("runs.robot_id", "=", robotId)),
    )
    .execute();
  if (sites.length === 0) throw notFound("Robot");
  if (siteId !== undefined && !sites.some(({ id }) => id === siteId))
    throw invalid("robot_id", "robot_id must be a robot of the site", "ROBOT_NOT_AT_SITE");
}

/** The viewer's schedules whose next run comes before `to`, of one site or all, with how many robots they have now. */
export function readUpcomingSchedules(
  viewer: Viewer,
  db: Executor,
  { to, siteId }: { readonly to: Date; readonly siteId?: number },
) {
  return visibleSites(viewer, db)
    .innerJoin("schedules as s", "s.site_id", "sites.id")
    .innerJoin("robot_groups as g", "g.id", "s.group_id")
    .leftJoin("schedule_decisions as d", (join) =>
      join.onRef("d.schedule_id", "=", "s.id").onRef("d.due_at", "=", "s.next_run_at").on("d.voided_at", "is", null),
    )
    .select(["d.runs as is_worth_it", "d.reason as decision"])
    .select(["s.id", "s.site_id", "s.group_id", "g.group_name", "sites.timezone", "s.frequency", "s.start_time"])
    .select(["s.duration_minutes", "s.next_run_at"])
    .select((eb) =>
      eb
        .selectFrom("robot_group_members as m")
        .innerJoin("robots as r", "r.id", "m.robot_id")
        .whereRef("m.group_id", "=", "g.id")
        .where("r.deleted_at", "is", null)
        .select(eb.fn.countAll<number>().as("robots"))
        .as("robots"),
    )
    .$narrowType<{ next_run_at: Date; robots: number }>()
    .where("g.deleted_at", "is", null)
    .where("s.next_run_at", "<", to)
    .$if(siteId !== undefined, (query) => query.where("sites.id", "=", siteId ?? 0))
    .orderBy("s.next_run_at")
    .orderBy("s.id")
    .execute();
}
export type UpcomingSchedule = Awaited<ReturnType<typeof readUpcomingSchedules>>[number];

/**
 * When a schedule is due from `from` on and before `to`; one that is due already and has not begun counts too. Of one "when
 * worth it", also when it will turn out not to be.
 */
function upcomingRuns(schedule: UpcomingSchedule, from: Date, to: Date): Date[] {
  const { start_time: startTime, frequency, timezone, next_run_at } = schedule;
  return runsBetween({ startTime, frequency }, timezone, next_run_at > from ? next_run_at : from, to);
}

interface ZoneDay {
  readonly timezone: string;
  readonly from: Date;
  readonly to: Date;
}

/** Today's runs at the viewer's sites, each site by its own day; whatever is in progress counts as running. */
export async function countTodaysRuns(viewer: Viewer, db: Executor, now: Date): Promise<RunCounts> {
  const days = await zoneDays(viewer, db, now);
  const over = await countEnded(viewer, db, days);
  const running = await countOpen(viewer, db);
  return countRuns([...over, { outcome: null, count: running }], await countPlanned(viewer, db, days));
}

async function zoneDays(viewer: Viewer, db: Executor, now: Date): Promise<ZoneDay[]> {
  const zones = await visibleSites(viewer, db).select("sites.timezone").distinct().execute();
  return zones.map(({ timezone }) => {
    const today = siteToday(timezone, now);
    return { timezone, from: startOfDay(today, timezone), to: startOfDay(addDays(today, 1), timezone) };
  });
}

/** The runs that one of today's figures counts, newest first. */
export async function readTodaysRuns(
  viewer: Viewer,
  db: Executor,
  count: RecordedCount,
  now: Date,
): Promise<RunOfToday[]> {
  const days = await zoneDays(viewer, db, now);
  if (days.length === 0) return [];
  const counted =
    count === "running"
      ? openRuns(viewer, db)
      : endedRuns(viewer, db, days).where("runs.outcome", "in", outcomesOf(count));
  const rows = await counted
    .select(["runs.id", "sites.name as site_name", "sites.timezone"])
    .orderBy("runs.at", "desc")
    .limit(RUNS_OF_TODAY_LIMIT)
    .execute();
  const sites = new Map(rows.map(({ id, ...site }) => [id, site]));
  const runs = await readRuns(viewer, db, { ids: [...sites.keys()] });
  return runs.flatMap(({ run }) => {
    const site = sites.get(run.id);
    return site === undefined ? [] : [{ ...run, ...site }];
  });
}

async function countEnded(viewer: Viewer, db: Executor, days: readonly ZoneDay[]) {
  if (days.length === 0) return [];
  return endedRuns(viewer, db, days)
    .select("runs.outcome")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .groupBy("runs.outcome")
    .execute();
}

function endedRuns(viewer: Viewer, db: Executor, days: readonly ZoneDay[]) {
  const zones = sql<ZoneDay>`(select * from unnest(
    ${days.map((day) => day.timezone)}::text[],
    ${days.map((day) => day.from.toISOString())}::timestamptz[],
    ${days.map((day) => day.to.toISOString())}::timestamptz[]) as t (timezone, "from", "to"))`;
  return visibleSites(viewer, db)
    .innerJoin(zones.as("day"), "day.timezone", "sites.timezone")
    .innerJoin("runs", (join) =>
      join.onRef("runs.site_id", "=", "sites.id").onRef("runs.at", ">=", "day.from").onRef("runs.at", "<", "day.to"),
    )
    .where("runs.outcome", "is not", null);
}

async function countOpen(viewer: Viewer, db: Executor): Promise<number> {
  const { count } = await openRuns(viewer, db)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

function openRuns(viewer: Viewer, db: Executor) {
  return (
    visibleSites(viewer, db)
      .innerJoin("runs", "runs.site_id", "sites.id")
      .where("runs.ended_at", "is", null)
      // Phrased so that the two small partial indexes on open runs are used.
      .where((eb) => eb.or([eb("runs.began_at", "is not", null), eb("runs.stop_due_at", "is not", null)]))
  );
}

async function countPlanned(viewer: Viewer, db: Executor, days: readonly ZoneDay[]): Promise<number> {
  const byZone = new Map(days.map((day) => [day.timezone, day]));
  const last = new Date(Math.max(0, ...days.map(({ to }) => to.getTime())));
  const coming = await readUpcomingSchedules(viewer, db, { to: last });
  return coming.reduce((sum, schedule) => {
    const day = byZone.get(schedule.timezone);
    if (day === undefined) return sum;
    const planned = upcomingRuns(schedule, day.from, day.to).filter((dueAt) => isPlanned(schedule, dueAt));
    return sum + planned.length * schedule.robots;
  }, 0);
}

/** A week of a site, Monday to Sunday in local time. Throws 404 out of scope, 400 for a day out of range. */
export async function readCalendar(
  viewer: Viewer,
  db: Executor,
  siteId: number,
  request: { readonly day?: string | undefined; readonly now: Date },
): Promise<ResponseOf<typeof runsCalendar>> {
  const site = await visibleSites(viewer, db)
    .select("sites.timezone")
    .where("sites.id", "=", siteId)
    .executeTakeFirst();
  if (!site) throw notFound("Site");
  const { timezone } = site;
  const today = siteToday(timezone, request.now);
  const day = request.day ?? today;
  requireCalendarDate("day", day);
  const monday = startOfWeek(day);
  const from = startOfDay(monday, timezone);
  const to = startOfDay(addDays(monday, 7), timezone);
  const entries = await readEntries(viewer, db, { siteId, timezone, from, to });
  const byDay = Map.groupBy(entries, ({ begins_at }) => localTimeOf(new Date(begins_at), timezone).date);
  const dates = Array.from({ length: 7 }, (_, offset) => addDays(monday, offset));
  return { timezone, today, days: dates.map((date) => ({ date, entries: byDay.get(date) ?? [] })) };
}

interface EntrySpan {
  readonly siteId: number;
  readonly timezone: string;
  readonly from: Date;
  readonly to: Date;
}

/** What was done at a site and what is planned there, in order. */
export async function readEntries(viewer: Viewer, db: Executor, span: EntrySpan): Promise<CalendarEntry[]> {
  const { siteId, timezone, from, to } = span;
  const recorded = await readRuns(viewer, db, { siteId, from, to });
  const coming = await readUpcomingSchedules(viewer, db, { siteId, to });
  const held = await readHeldRuns(viewer, db, span);
  const runs = recorded.map(({ run }) => run);
  return [
    ...recordedEntries(runs, timezone),
    ...held.map((one) => heldEntry(one, timezone)),
    ...coming.flatMap((schedule) =>
      upcomingRuns(schedule, from, to).map((dueAt) =>
        plannedEntry(schedule, dueAt, isPlanned(schedule, dueAt), timezone),
      ),
    ),
  ].toSorted((one, other) => one.begins_at.localeCompare(other.begins_at) || one.key.localeCompare(other.key));
}

/** When schedules "when worth it" did not run, as was decided; not those that are still to come. */
function readHeldRuns(viewer: Viewer, db: Executor, { siteId, from, to }: Pick<EntrySpan, "siteId" | "from" | "to">) {
  return visibleSites(viewer, db)
    .innerJoin("schedule_decisions as d", "d.site_id", "sites.id")
    .innerJoin("robot_groups as g", "g.id", "d.group_id")
    .leftJoin("schedules as s", (join) =>
      join.onRef("s.id", "=", "d.schedule_id").onRef("s.next_run_at", "=", "d.due_at"),
    )
    .select(["d.schedule_id", "d.group_id", "g.group_name", "d.due_at", "d.reason"])
    .where("sites.id", "=", siteId)
    .where("d.due_at", ">=", from)
    .where("d.due_at", "<", to)
    .where("d.voided_at", "is", null)
    .where("d.runs", "=", false)
    .where("s.id", "is", null)
    .execute();
}
export type HeldRun = Awaited<ReturnType<typeof readHeldRuns>>[number];

import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import { NOT_DONE } from "@suncrew/domain/runs/run-outcome.ts";
import { type Selectable, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { RUN_COLUMNS } from "../robot-days/public.ts";
import { reasonText, stoppedBy } from "../runs/public.ts";
import { visibleSites } from "../sites/public.ts";
import {
  type Newest,
  type OutcomeCounts,
  REPORT_LIST_ROWS,
  type ReportNotDone,
  type ReportReason,
  type ReportScope,
  reportTime,
} from "./report-data.ts";
import { type RobotSums, SUMMED_COLUMNS, type Sums } from "./report-sums.ts";

type ClosedDay = Omit<Selectable<Tables["site_days"]>, "site_id" | "done_robot_id" | "closed_at">;

/** The days of the range that are closed, by date. */
export async function readClosedDays(
  viewer: Viewer,
  db: Executor,
  { siteId, days, now }: ReportScope,
): Promise<Map<string, ClosedDay>> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("site_days as d", "d.site_id", "sites.id")
    .where("sites.id", "=", siteId)
    .where("d.date", ">=", days[0]?.date ?? "")
    .where("d.date", "<=", days.at(-1)?.date ?? "")
    .where("d.closed_at", "is not", null)
    .where("d.ended_at", "<=", now)
    .select(["d.date", "d.began_at", "d.ended_at", "d.critical_alerts", "d.resolved_alerts", "d.resolution_ms"])
    .execute();
  return new Map(rows.map((row) => [row.date, row]));
}

/** The sums of closed days by robot and by day: one pass over the rows, however many there are. */
export async function readClosedSums(viewer: Viewer, db: Executor, siteId: number, dates: readonly string[]) {
  if (dates.length === 0) return { robots: [], days: [], sample: false };
  const columns = sql.join(
    SUMMED_COLUMNS.map(
      (column) => sql`coalesce(sum(d.${sql.ref(column)}${toFloat(column)}), 0)::float8 as ${sql.ref(column)}`,
    ),
  );
  const { rows } = await sql<RobotSums & { robot_id: number | null; date: string | null; sample: boolean }>`
    select d.robot_id, d.date, ${columns}, count(*) filter (where d.counted_ms > 0) as uptime_days,
      count(*) filter (where d.read_ms > 0) as battery_days, bool_or(d.sample) as sample
    from (${visibleSites(viewer, db).where("sites.id", "=", siteId).select("sites.id")}) s
      join robot_days d on d.site_id = s.id and d.date = any(${[...dates]}::date[])
    group by grouping sets ((d.robot_id), (d.date))`.execute(db);
  const robots: (RobotSums & { readonly robotId: number })[] = [];
  const days: (Sums & { readonly date: string })[] = [];
  for (const { robot_id: robotId, date, ...sums } of rows) {
    if (robotId !== null) robots.push({ robotId, ...sums });
    if (date !== null) days.push({ date, ...sums });
  }
  return { robots, days, sample: rows.some(({ sample }) => sample) };
}

const PLANNED_COLUMNS = RUN_COLUMNS.map(([, planned]) => planned);

export type ClosedRobotDay = Awaited<ReturnType<typeof readClosedRobotDays>>[number];

/** What became of the planned runs of some robots on closed days. */
export async function readClosedRobotDays(
  viewer: Viewer,
  db: Executor,
  siteId: number,
  of: { readonly robotIds: readonly number[]; readonly dates: readonly string[] },
) {
  if (of.robotIds.length === 0 || of.dates.length === 0) return [];
  return visibleSites(viewer, db)
    .innerJoin("robot_days as d", "d.site_id", "sites.id")
    .where("sites.id", "=", siteId)
    .where("d.robot_id", "in", of.robotIds)
    .where("d.date", "=", sql<string>`any(${[...of.dates]}::date[])`)
    .select(["d.robot_id", "d.date"])
    .select(PLANNED_COLUMNS.map((column) => `d.${column}` as const))
    .execute();
}

/** PostgreSQL would add up a bigint digit by digit. */
function toFloat(column: (typeof SUMMED_COLUMNS)[number]) {
  return column === "battery_held" ? sql`::float8` : sql``;
}

/** What robots that are no longer at the site were called in their last run of these days. */
export async function readFormerNames(viewer: Viewer, db: Executor, siteId: number, dates: readonly string[]) {
  if (dates.length === 0) return [];
  return visibleSites(viewer, db)
    .innerJoin("robot_days as d", "d.site_id", "sites.id")
    .innerJoin("robots as r", "r.id", "d.robot_id")
    .where("sites.id", "=", siteId)
    .where("d.date", "=", sql<string>`any(${[...dates]}::date[])`)
    .where((eb) => eb.or([eb("r.site_id", "!=", eb.ref("sites.id")), eb("r.deleted_at", "is not", null)]))
    .where("d.robot_name", "is not", null)
    .distinctOn("d.robot_id")
    .select(["d.robot_id as robotId", "d.date", "d.robot_name as name", "d.serial_number as serialNumber"])
    .orderBy("d.robot_id")
    .orderBy("d.date", "desc")
    .execute();
}

/** The newest runs that are not done: robot, due time, outcome and reason; `counts` are those of all runs. */
export async function readNotDone(
  viewer: Viewer,
  db: Executor,
  scope: ReportScope,
  counts: OutcomeCounts,
): Promise<Newest<ReportNotDone>> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("runs", "runs.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where("runs.at", ">=", scope.from)
    .where("runs.at", "<", scope.until)
    .where("runs.outcome", "in", NOT_DONE)
    .select(["runs.robot_name", "runs.serial_number", "runs.at", "runs.planned", "runs.reason"])
    .select(sql<RunOutcome>`runs.outcome`.as("outcome"))
    .select(stoppedBy.as("stopped_by"))
    .orderBy("runs.at", "desc")
    .orderBy("runs.id", "desc")
    .limit(REPORT_LIST_ROWS)
    .execute();
  const total = NOT_DONE.reduce((sum, outcome) => sum + counts[outcome], 0);
  return {
    rows: rows.map(({ robot_name, serial_number, at, planned, outcome, reason, stopped_by }) => ({
      robotName: robot_name,
      serialNumber: serial_number,
      at: reportTime(at, scope.timezone),
      planned,
      outcome,
      reason: reasonText({ outcome, reason, planned, stoppedBy: stopped_by }) ?? "Not known.",
    })),
    rest: total - rows.length,
  };
}

/** How many reasons are printed. */
const REASONS = 8;

/** Why planned runs were not done: one row for each kind of reason, the most frequent first. */
export async function readReasons(viewer: Viewer, db: Executor, scope: ReportScope): Promise<ReportReason[]> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("runs", "runs.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where("runs.at", ">=", scope.from)
    .where("runs.at", "<", scope.until)
    .where("runs.planned", "=", true)
    .where("runs.outcome", "in", NOT_DONE)
    .select(sql<RunOutcome>`runs.outcome`.as("outcome"))
    .select((eb) => eb.fn.countAll<number>().as("runs"))
    .select(sql<number>`count(distinct runs.reason)`.as("texts"))
    .select(sql<string | null>`(array_agg(runs.reason order by runs.at desc, runs.id desc))[1]`.as("reason"))
    .groupBy(["runs.outcome", sql`coalesce(runs.reason_code, runs.reason)`])
    .orderBy("runs", "desc")
    .orderBy("runs.outcome")
    .orderBy("reason")
    .limit(REASONS)
    .execute();
  return rows.map(({ outcome, runs, texts, reason }) => ({
    outcome,
    text: reasonText({ outcome, reason, planned: true, stoppedBy: null }) ?? "Not known.",
    isExact: texts < 2,
    runs,
  }));
}

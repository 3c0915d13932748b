import {
  type RecordedCount,
  type RunCounts,
  RUNS_OF_TODAY_LIMIT,
  type RunOfToday,
} from "@suncrew/contract/runs/runs.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { siteToday, startOfDay } from "@suncrew/domain/schedules/site-time.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import { comingRuns } from "./coming-runs.ts";
import { readComing } from "./planned-runs.queries.ts";
import { countRuns, outcomesOf } from "./run-counts.ts";
import { readRuns } from "./runs.queries.ts";

interface ZoneDay {
  readonly timezone: string;
  readonly from: Date;
  readonly to: Date;
}

/** The runs of today over the viewer's sites, each site by its own day; whatever is under way counts as running. */
export async function countToday(viewer: Viewer, db: Executor, now: Date): Promise<RunCounts> {
  const days = await zoneDays(viewer, db, now);
  const over = await countOver(viewer, db, days);
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
export async function readOfToday(
  viewer: Viewer,
  db: Executor,
  count: RecordedCount,
  now: Date,
): Promise<RunOfToday[]> {
  const days = await zoneDays(viewer, db, now);
  if (days.length === 0) return [];
  const columns = ["runs.id", "sites.name as site_name", "sites.timezone"] as const;
  const counted =
    count === "running"
      ? openRuns(viewer, db).select(columns).orderBy("runs.at", "desc")
      : overRuns(viewer, db, days)
          .where("runs.outcome", "in", outcomesOf(count))
          .select(columns)
          .orderBy("runs.at", "desc");
  const rows = await counted.limit(RUNS_OF_TODAY_LIMIT).execute();
  const sites = new Map(rows.map(({ id, ...site }) => [id, site]));
  const runs = await readRuns(viewer, db, { ids: [...sites.keys()] });
  return runs.flatMap(({ run }) => {
    const site = sites.get(run.id);
    return site === undefined ? [] : [{ ...run, ...site }];
  });
}

async function countOver(viewer: Viewer, db: Executor, days: readonly ZoneDay[]) {
  if (days.length === 0) return [];
  return overRuns(viewer, db, days)
    .select("runs.outcome")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .groupBy("runs.outcome")
    .execute();
}

function overRuns(viewer: Viewer, db: Executor, days: readonly ZoneDay[]) {
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
      // In these words, so that the two small indexes over what is open are used.
      .where((eb) => eb.or([eb("runs.began_at", "is not", null), eb("runs.stop_due_at", "is not", null)]))
  );
}

async function countPlanned(viewer: Viewer, db: Executor, days: readonly ZoneDay[]): Promise<number> {
  const byZone = new Map(days.map((day) => [day.timezone, day]));
  const last = new Date(Math.max(0, ...days.map(({ to }) => to.getTime())));
  const coming = await readComing(viewer, db, { to: last });
  return coming.reduce((sum, schedule) => {
    const day = byZone.get(schedule.timezone);
    return day === undefined ? sum : sum + comingRuns(schedule, day.from, day.to).length * schedule.robots;
  }, 0);
}

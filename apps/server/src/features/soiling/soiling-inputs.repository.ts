import {
  type AppliedCorrection,
  SOILING_FORECAST_DAYS,
  SOILING_PAST_DAYS,
  SOILING_STALE_HOURS,
  type SoilingGap,
} from "@suncrew/contract/soiling/soiling.ts";
import { type EnergyFacts, energyFactsSchema } from "@suncrew/contract/sites/site-energy-facts.ts";
import type { WeatherSource } from "@suncrew/contract/weather/weather.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { siteToday, startOfDay } from "@suncrew/domain/schedules/site-time.ts";
import { ENERGY_FACTS, missingFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import { eveningOfRows, partOfSite } from "@suncrew/domain/soiling/evening-of-rows.ts";
import { type ModelledSoiling, modelSoiling, type SoilingSite } from "@suncrew/domain/soiling/site-soiling.ts";
import type { RowRun } from "@suncrew/domain/soiling/soiling-model.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { workerTask } from "../../platform/workers/worker-task.ts";
import { readCorrections } from "./soiling-corrections.repository.ts";
import { readSiteHours, type SiteHour } from "../weather/public.ts";

const HOUR_MS = 3_600_000;

/** What the model makes of a site, and of what. */
export interface ComputedSoiling {
  readonly facts: EnergyFacts;
  readonly missing: readonly SoilingGap[];
  readonly source: WeatherSource | null;
  readonly receivedAt: Date | null;
  readonly isStale: boolean;
  readonly uncountedRuns: number;
  /** In force; each is a new version of the site. */
  readonly corrections: readonly AppliedCorrection[];
  readonly modelled: ModelledSoiling;
}

interface SiteAsOf {
  readonly siteId: number;
  readonly now: Date;
}

/**
 * Computes the soiling of a site from what is stored; null if it was deleted. In a worker: with hundreds of rows and months
 * of runs, reading and computing takes tenths of a second.
 */
export const computeSoilingTask = workerTask(
  "compute soiling",
  ({ siteId, now }: SiteAsOf, { db }) => computeSoiling(db, siteId, now),
  { isShort: true },
);

async function computeSoiling(db: Executor, siteId: number, now: Date): Promise<ComputedSoiling | null> {
  const inputs = await readInputs(db, siteId, now);
  if (inputs === null) return null;
  const { site, known, hours, runs, uncounted, receivedAt, isStale } = inputs;
  const facts = energyFactsSchema.parse(site);
  return {
    facts,
    missing: gapsOf(site, known),
    source: sourceOf(known),
    receivedAt,
    isStale,
    uncountedRuns: uncounted,
    corrections: await readCorrections(db, siteId, facts),
    modelled: modelSoiling(site, hours, runs, now),
  };
}

interface EveningOfRobots extends SiteAsOf {
  readonly robotIds: readonly number[];
  readonly dueAt: Date;
}

export const computeEveningTask = workerTask(
  "compute what a cleaning is worth",
  ({ siteId, robotIds, ...times }: EveningOfRobots, { db }) => computeEvening(db, siteId, robotIds, times),
  { isShort: true },
);

/** What a cleaning of these robots' rows is worth when it is due, from what is stored. */
export async function computeEvening(
  db: Executor,
  siteId: number,
  robotIds: readonly number[],
  times: { readonly now: Date; readonly dueAt: Date },
): Promise<ReturnType<typeof eveningOfRows>> {
  const inputs = await readInputs(db, siteId, times.now);
  if (inputs === null) return { worth: null, rain: null };
  return eveningOfRows(partOfSite(inputs.site, robotIds), inputs.hours, inputs.runs, times);
}

/** What the soiling of a site is computed from; null if it was deleted. It is named by `readExactBasis`. */
async function readInputs(db: Executor, siteId: number, now: Date) {
  const site = await readSoilingSite(db, siteId);
  if (site === null) return null;
  const { timezone } = site;
  const from = startOfDay(addDays(siteToday(timezone, now), -SOILING_PAST_DAYS), timezone);
  const to = startOfDay(addDays(siteToday(timezone, now), SOILING_FORECAST_DAYS + 1), timezone);
  const known = await readSiteHours(db, siteId, from, to);
  const { runs, uncounted } = await readRowRuns(db, siteId, from, now);
  const { receivedAt, isStale } = receiptOf(known, now);
  // What was foreseen long ago says nothing of the days ahead.
  const hours = isStale ? known.filter(({ at }) => at <= now) : known;
  return { site, known, hours, runs, uncounted, receivedAt, isStale };
}

/** Facts and rows of a site; null if it was deleted. */
export async function readSoilingSite(db: Executor, siteId: number): Promise<SoilingSite | null> {
  const row = await db
    .selectFrom("sites")
    .select("timezone")
    .select(ENERGY_FACTS.map((fact) => `sites.${fact}` as const))
    .where("id", "=", siteId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { ...energyFactsSchema.parse(row), timezone: row.timezone, rows: await readRows(db, siteId) };
}

/** `sample` if any of it is made up. */
export function sourceOf(hours: readonly SiteHour[]): WeatherSource | null {
  return hours.length === 0 ? null : hours.some(({ source }) => source === "sample") ? "sample" : "open-meteo";
}

/** The live robots of a site; each cleans a row. */
export async function readRows(db: Executor, siteId: number): Promise<number[]> {
  const robots = await db
    .selectFrom("robots")
    .select("id")
    .where("site_id", "=", siteId)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  return robots.map(({ id }) => id);
}

/**
 * Ended runs of live robots that cleaned where they are now, with the share of the row that each did: minutes done of
 * those that were planned; of a run by hand, of those that the robot's schedule has now. One that the robot ended as
 * finished did all of it. What a manual run that somebody ended at once did counts for nothing, as in the figures of runs.
 */
const runsOfRows = sql`
  select r.id, r.robot_id, r.site_id, r.at, r.began_at, r.ended_at,
    case when r.reason = 'FINISHED' or t.done_s >= t.needed_s then 1 else t.done_s / t.needed_s end as share
  from runs r
  join robots o on o.id = r.robot_id and o.site_id = r.site_id and o.deleted_at is null
  left join robot_group_members m on m.robot_id = r.robot_id
  left join schedules s on s.group_id = m.group_id
  cross join lateral (
    select extract(epoch from r.ended_at - r.began_at)::float8 as done_s,
      coalesce(extract(epoch from r.stop_due_at - r.due_at)::float8, s.duration_minutes * 60) as needed_s
  ) t
  where r.began_at is not null and r.ended_at is not null
    and (r.outcome in ('COMPLETED', 'CUT_SHORT') or (r.outcome = 'STOPPED' and r.planned))`;

/** Of each of these robots, when the last run began that cleaned this share of its row or more; null if none did. */
export async function readLastCleanings(
  db: Executor,
  robotIds: readonly number[],
  share: number,
): Promise<(Date | null)[]> {
  const { rows } = await sql<{ began_at: Date | null }>`
    select (select r.began_at from (${runsOfRows}) r where r.robot_id = one.id and r.share >= ${share}
      order by r.at desc limit 1) as began_at
    from unnest(${[...robotIds]}::int[]) as one (id)`.execute(db);
  return rows.map(({ began_at }) => began_at);
}

/** Runs of the site's live robots; without a known share, a run is only counted. */
export async function readRowRuns(db: Executor, siteId: number, from: Date, to: Date) {
  const { rows } = await sql<{ robot_id: number; ended_at: Date; share: number | null }>`
    select robot_id, ended_at, share from (${runsOfRows}) r
    where site_id = ${siteId} and at > ${new Date(from.getTime() - 24 * HOUR_MS)}
      and ended_at > ${from} and ended_at <= ${to}
    order by ended_at, id`.execute(db);
  const runs = rows.flatMap(({ robot_id: row, ended_at: endedAt, share }): RowRun[] => {
    return share === null ? [] : [{ row, endedAt, share }];
  });
  const uncountedEnds = rows.filter(({ share }) => share === null).map(({ ended_at }) => ended_at);
  return { runs, uncounted: uncountedEnds.length, uncountedEnds };
}

/** The older of the newest air and the newest weather: both are needed. */
function receiptOf(
  hours: readonly SiteHour[],
  now: Date,
): { readonly receivedAt: Date | null; readonly isStale: boolean } {
  const newest = (receivedAt: (hour: SiteHour) => Date | null) =>
    hours.reduce((latest, hour) => Math.max(latest, receivedAt(hour)?.getTime() ?? -Infinity), -Infinity);
  const each = [newest((hour) => hour.air_received_at), newest((hour) => hour.weather_received_at)];
  const received = each.filter(Number.isFinite);
  if (received.length === 0) return { receivedAt: null, isStale: false };
  const receivedAt = new Date(Math.min(...received));
  return { receivedAt, isStale: now.getTime() - receivedAt.getTime() > SOILING_STALE_HOURS * HOUR_MS };
}

export function gapsOf(site: SoilingSite, hours: readonly SiteHour[]): SoilingGap[] {
  const gaps: SoilingGap[] = [...missingFacts(site)];
  if (site.rows.length === 0) gaps.push("robots");
  if (!hours.some(({ pm2_5, pm10 }) => pm2_5 !== null && pm10 !== null)) gaps.push("particles");
  if (!hours.some(({ rain_mm }) => rain_mm !== null)) gaps.push("rain");
  // Without tilt and azimuth nobody can ask for it, and those are named already.
  const isAsked = site.tilt_degrees !== null && site.azimuth_degrees !== null;
  if (isAsked && !hours.some(({ irradiance_w_m2 }) => irradiance_w_m2 !== null)) gaps.push("irradiation");
  return gaps;
}

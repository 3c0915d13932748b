import { LEAST_DAYS_DEFAULT, MOST_DAYS_DEFAULT } from "@suncrew/contract/schedules/schedules.ts";
import { type SiteStrategies, STRATEGY_DAYS } from "@suncrew/contract/soiling/soiling-strategies.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { instantOf, siteToday, startOfDay } from "@suncrew/domain/schedules/site-time.ts";
import { compareStrategies } from "@suncrew/domain/soiling/strategies-of-site.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { workerTask } from "../../platform/workers/worker-task.ts";
import { readSiteHours } from "../weather/public.ts";
import { gapsOf, readSoilingSite, sourceOf } from "./soiling-inputs.repository.ts";

/** Cleaning by need against fixed intervals, over a year of stored weather. */

const TIME_DEFAULT = "20:00";

/** In a worker: a year of hours under four strategies takes tenths of a second. Null if the site was deleted. */
export const compareStrategiesTask = workerTask(
  "compare strategies",
  ({ siteId, now }: { readonly siteId: number; readonly now: Date }, { db }) => readStrategies(db, siteId, now),
  { isShort: true },
);

async function readStrategies(db: Executor, siteId: number, now: Date): Promise<SiteStrategies | null> {
  const site = await readSoilingSite(db, siteId);
  if (site === null) return null;
  const { timezone } = site;
  const today = siteToday(timezone, now);
  const first = addDays(today, -STRATEGY_DAYS);
  const [from, to] = [startOfDay(first, timezone), startOfDay(today, timezone)];
  const hours = await readSiteHours(db, siteId, from, to);
  const schedule = await db
    .selectFrom("schedules")
    .select(["start_time", "least_days", "most_days"])
    .where("site_id", "=", siteId)
    .where("status", "=", "ACTIVE")
    .orderBy(sql`frequency = 'WHEN_WORTH_IT'`, "desc")
    .orderBy("id")
    .executeTakeFirst();
  const local_time = schedule?.start_time.slice(11, 16) ?? TIME_DEFAULT;
  const least_days = schedule?.least_days ?? LEAST_DAYS_DEFAULT;
  const most_days = schedule?.most_days ?? MOST_DAYS_DEFAULT;
  const eveningUtcHour = instantOf(today, local_time, timezone).getUTCHours();
  return {
    site_id: siteId,
    basis: "modelled",
    missing: gapsOf(site, hours),
    source: sourceOf(hours),
    from: first,
    to: addDays(today, -1),
    least_days,
    most_days,
    local_time,
    rows: site.rows.length,
    currency: site.currency,
    ...compareStrategies(site, hours, {
      from,
      to,
      eveningUtcHour,
      limits: { least: least_days, most: most_days },
    }),
  };
}

/** What it is read from, in short: where that is the same, so is the result. Null if the site was deleted. */
export async function readStrategiesBasis(db: Executor, siteId: number, now: Date): Promise<string | null> {
  const hoursOf = (table: "site_air_days" | "site_weather_days") => sql`
    (select format('%s/%s', count(*), max(d.received_at)) from ${sql.table(table)} d
      where d.site_id = s.id and d.superseded_at is null)`;
  const { rows } = await sql<{ basis: string }>`
    select concat_ws(' ', s.version, s.timezone, (${now}::timestamptz at time zone s.timezone)::date,
      ${hoursOf("site_air_days")}, ${hoursOf("site_weather_days")},
      (select format('%s/%s', count(*), sum(o.id)) from robots o where o.site_id = s.id and o.deleted_at is null),
      (select format('%s/%s/%s', count(*), sum(c.version), max(c.id)) from schedules c where c.site_id = s.id)) as basis
    from sites s where s.id = ${siteId} and s.deleted_at is null`.execute(db);
  return rows[0]?.basis ?? null;
}

import { SOILING_PAST_DAYS } from "@suncrew/contract/soiling/soiling.ts";
import { type RawBuilder, sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

/** What the soiling of a site is computed from, in short: where that is the same, so is the result. */

/** Runs that end later than this after their end is stored are known within the hour. */
const RECENT_RUNS = sql`interval '2 days'`;

/** Of site `s`, cheap enough to ask for every site every minute. */
export function soilingBasis(now: Date): RawBuilder<string> {
  return sql`concat_ws(' ', s.version, s.timezone,
    (select max(i.received_at) from site_inputs i where i.site_id = s.id),
    (select format('%s/%s', count(*), max(o.id)) from robots o where o.site_id = s.id and o.deleted_at is null),
    (select format('%s/%s', count(*), max(r.ended_at)) from runs r
      where r.site_id = s.id and r.at > ${now}::timestamptz - ${RECENT_RUNS} and r.ended_at is not null))`;
}

/**
 * The same to the last row that is read, for an answer that must be as of now; null if the site was deleted. Whatever the
 * computation reads in addition belongs here.
 */
export async function readExactBasis(db: Executor, siteId: number, now: Date): Promise<string | null> {
  // A day more on either side than any calendar's.
  const since = sql`${now}::timestamptz - make_interval(days => ${SOILING_PAST_DAYS + 2})`;
  const hoursOf = (table: "site_air_days" | "site_weather_days") => sql`
    (select format('%s/%s/%s', count(*), max(d.received_at), max(d.confirmed_at)) from ${sql.table(table)} d
      where d.site_id = s.id and d.superseded_at is null and d.day >= (${since})::date)`;
  const { rows } = await sql<{ basis: string }>`
    select concat_ws(' ', s.version, s.timezone, ${hoursOf("site_air_days")}, ${hoursOf("site_weather_days")},
      (select format('%s/%s', count(*), sum(o.id)) from robots o where o.site_id = s.id and o.deleted_at is null),
      (select format('%s/%s/%s', count(*), max(r.ended_at), max(r.at)) from runs r
        where r.site_id = s.id and r.at > ${since} and r.ended_at is not null),
      (select format('%s/%s', sum(g.version), max(g.id)) from robot_groups g where g.site_id = s.id),
      (select format('%s/%s', sum(c.version), max(c.id)) from schedules c where c.site_id = s.id)) as basis
    from sites s where s.id = ${siteId} and s.deleted_at is null`.execute(db);
  return rows[0]?.basis ?? null;
}

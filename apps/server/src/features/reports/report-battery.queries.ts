import { OFFLINE_AFTER_MS } from "@suncrew/domain/commands/limits.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import type { ReportScope } from "./report-scope.ts";

/** Battery weighted with time, by day: percent times seconds, and the seconds. */
export interface BatterySums {
  readonly weighted: number[];
  readonly seconds: number[];
  readonly sample: boolean;
}

/** A reading holds until the next, so long at most: then nobody knows. Sample data has one an hour. */
const HOLDS_S = OFFLINE_AFTER_MS / 1_000;
const SAMPLE_HOLDS_S = 3_600;

/** Days that one query adds up, so that none takes long. */
const DAYS_AT_ONCE = 5;

/**
 * A robot's readings at the site, added up by PostgreSQL: a month has 86,000 of them. One that holds over midnight
 * counts on both days.
 */
export async function readBattery(
  viewer: Viewer,
  db: Executor,
  scope: ReportScope,
  robotId: number,
): Promise<BatterySums> {
  const weighted = scope.days.map(() => 0);
  const seconds = scope.days.map(() => 0);
  let sample = false;
  for (let first = 0; first < scope.days.length; first += DAYS_AT_ONCE) {
    scope.signal?.throwIfAborted();
    const days = scope.days.slice(first, first + DAYS_AT_ONCE);
    const rows = await readByDay(viewer, db, { ...scope, days }, robotId);
    for (const { day, here, after } of rows) {
      add(first + day - 1, here);
      if (day < days.length) add(first + day, after);
    }
    sample ||= rows.some((row) => row.sample);
  }
  return { weighted, seconds, sample };

  function add(nth: number, sums: { readonly weighted: number; readonly seconds: number }): void {
    weighted[nth] = (weighted[nth] ?? 0) + sums.weighted;
    seconds[nth] = (seconds[nth] ?? 0) + sums.seconds;
  }
}

/** By the day that a reading began to hold in, from 1: what it holds on that day, and what after it. */
async function readByDay(viewer: Viewer, db: Executor, scope: ReportScope, robotId: number) {
  const { days } = scope;
  const from = new Date(days[0]?.fromMs ?? 0);
  const until = new Date(Math.min(scope.until.getTime(), days.at(-1)?.toMs ?? 0));
  const starts = sql`${days.map(({ fromMs }) => fromMs / 1_000)}::float8[]`;
  const endOfDay = sql`(${days.map(({ toMs }) => toMs / 1_000)}::float8[])[day]`;
  // Each step is kept apart by its offset: put together, PostgreSQL would compute what they name many times over.
  const readings = visibleSites(viewer, db)
    .innerJoin("readings as g", "g.site_id", "sites.id")
    .where("sites.id", "=", scope.siteId)
    .where("g.robot_id", "=", robotId)
    .where("g.received_at", ">=", new Date(from.getTime() - SAMPLE_HOLDS_S * 1_000))
    .where("g.received_at", "<", until)
    .select(["g.sample", "g.received_at", "g.session", "g.seq"])
    .select(sql`g.battery::float8`.as("battery"))
    .select(sql`date_part('epoch', g.received_at)`.as("at"))
    .offset(0);
  const followed = db
    .selectFrom(readings.as("read"))
    .select(["battery", "sample", "at"])
    .select(sql`lead(at) over (order by received_at, session, seq)`.as("next_at"))
    .offset(0);
  const held = db
    .selectFrom(followed.as("followed"))
    .select(["battery", "sample"])
    .select(sql`greatest(at, ${from.getTime() / 1_000}::float8)`.as("began"))
    .select(
      sql`least(next_at, ${until.getTime() / 1_000}::float8,
        at + case when sample then ${SAMPLE_HOLDS_S}::int else ${HOLDS_S}::int end)`.as("ended"),
    )
    .offset(0);
  const byDay = db
    .selectFrom(held.as("held"))
    .select(["battery", "sample", "began", "ended"])
    .select(sql`width_bucket(began, ${starts})`.as("day"))
    .where(sql<boolean>`ended > began`)
    .offset(0);
  const weighed = db
    .selectFrom(byDay.as("by_day"))
    .select(["day", "battery", "sample"])
    .select(sql`least(ended, ${endOfDay}) - began`.as("here"))
    .select(sql`greatest(0, ended - ${endOfDay})`.as("after"))
    .offset(0);
  const rows = await db
    .selectFrom(weighed.as("weighed"))
    .select(sql<number>`day`.as("day"))
    .select(sql<number>`sum(battery * here)`.as("weighted"))
    .select(sql<number>`sum(here)`.as("seconds"))
    .select(sql<number>`sum(battery * after)`.as("weightedAfter"))
    .select(sql<number>`sum(after)`.as("secondsAfter"))
    .select(sql<boolean>`bool_or(sample)`.as("sample"))
    .groupBy("day")
    .execute();
  return rows.map(({ day, weighted, seconds, weightedAfter, secondsAfter, sample }) => ({
    day,
    here: { weighted, seconds },
    after: { weighted: weightedAfter, seconds: secondsAfter },
    sample,
  }));
}

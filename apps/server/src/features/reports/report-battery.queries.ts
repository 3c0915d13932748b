import { OFFLINE_AFTER_MS } from "@suncrew/domain/commands/limits.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/viewer.ts";
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
  const { from, until, days } = scope;
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
  const sums = { weighted: days.map(() => 0), seconds: days.map(() => 0), sample: rows.some(({ sample }) => sample) };
  const add = (nth: number, weighted: number, seconds: number) => {
    sums.weighted[nth] = (sums.weighted[nth] ?? 0) + weighted;
    sums.seconds[nth] = (sums.seconds[nth] ?? 0) + seconds;
  };
  for (const { day, weighted, seconds, weightedAfter, secondsAfter } of rows) {
    add(day - 1, weighted, seconds);
    if (day < days.length) add(day, weightedAfter, secondsAfter);
  }
  return sums;
}

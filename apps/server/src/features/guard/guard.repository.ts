import { weatherLimitAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import type { PassedLimit } from "@suncrew/domain/texts/passed-limit.ts";
import {
  type ForecastHour,
  hoursThatCount,
  JUDGED_EVERY_MS,
  judgeWeather,
  type StoredJudgement,
  verdictNow,
} from "@suncrew/domain/guard/weather-guard.ts";
import { type Selectable, sql } from "kysely";
import { isDeepStrictEqual } from "node:util";
import { announceChange } from "../../platform/change-signal.ts";
import { anyInt, changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { bringSiteAlert, clearSiteAlerts, openSiteAlert } from "../alerts/public.ts";
import { deviceRetired } from "../commands/public.ts";
import { hasWeatherLimits } from "../sites/public.ts";

/** The forecast hours of several sites that end after `from` and by `to`; a site without any may be missing. */
export type ReadHours = (
  db: Executor,
  siteIds: readonly number[],
  from: Date,
  to: Date,
) => Promise<ReadonlyMap<number, readonly ForecastHour[]>>;

type Guard = Selectable<Tables["site_guards"]>;

/** Sites judged in one transaction. */
const BATCH = 200;

/**
 * Compares the weather of sites that are due with their limits, and stores what follows; whoever comes first does so for
 * all servers. True if more may be due.
 */
export async function judgeDue(tx: Tx, readHours: ReadHours, now: Date): Promise<boolean> {
  const guards = await tx
    .selectFrom("site_guards as g")
    .innerJoin("sites", "sites.id", "g.site_id")
    .leftJoin("site_sensors as s", "s.site_id", "g.site_id")
    .selectAll("g")
    .select(["s.serial", "s.received_at", "s.sensor_ts", "s.gust_kmh", "s.rain_mm_h", "s.temperature_c"])
    .where("sites.deleted_at", "is", null)
    .where(hasWeatherLimits)
    .where((eb) =>
      eb.or([
        eb("g.judged_at", "is", null),
        eb("g.judged_at", "<=", new Date(now.getTime() - JUDGED_EVERY_MS)),
        // By a clock that was set back since.
        eb("g.judged_at", ">", now),
      ]),
    )
    .orderBy("g.judged_at", (order) => order.asc().nullsFirst())
    .limit(BATCH)
    // The site too: an alert of one that is deleted meanwhile would stay open for good.
    .modifyEnd(sql`for update of g skip locked for share of sites skip locked`)
    .execute();
  if (guards.length === 0) return false;
  const { from, to } = hoursThatCount(now);
  const hours = await readHours(
    tx,
    guards.map(({ site_id }) => site_id),
    from,
    to,
  );
  const judged = guards.map((guard) => {
    const weather = { hours: hours.get(guard.site_id) ?? [], sensor: guard.serial === null ? null : guard };
    return { guard, ...judgeWeather(guard, weather, guard, now) };
  });
  const stored = judged.map(({ guard, ...judgement }) => ({
    site_id: guard.site_id,
    is_news: isNews(guard, judgement, now),
    ...judgement,
  }));
  await sql`
    update site_guards g set judged_at = ${now}, verdict = n.verdict, passed = n.passed, within_since = n.within_since,
      change_no = case when n.is_news then ${changedNow} else g.change_no end
    from json_to_recordset(${JSON.stringify(stored)}::json)
      n (site_id int, verdict text, passed jsonb, within_since timestamptz, is_news boolean)
    where g.site_id = n.site_id`.execute(tx);
  // Where the limits were changed, there is no former verdict: an alert about the former limits is over.
  const anew = judged.filter(({ guard }) => guard.verdict === null).map(({ guard }) => guard.site_id);
  await clearSiteAlerts(tx, anew, "WEATHER_LIMIT", now);
  for (const { guard, verdict, passed } of judged) {
    if (guard.verdict === verdict && isDeepStrictEqual(guard.passed, passed)) continue;
    const alert = verdict === "PASSED" && passed !== null ? weatherLimitAlert(passed) : null;
    await bringSiteAlert(tx, guard.site_id, alert, "WEATHER_LIMIT", now);
  }
  if (stored.some(({ is_news }) => is_news)) await announceChange(tx);
  return guards.length === BATCH;
}

/** Whether people are shown something else: what was judged too long ago is shown to them as unknown. */
function isNews(
  before: StoredJudgement & { readonly judged_at: Date | null },
  judged: Pick<StoredJudgement, "verdict" | "passed">,
  now: Date,
): boolean {
  const shown = verdictNow({ verdict: before.verdict, judgedAt: before.judged_at }, now);
  return before.verdict === null || shown !== judged.verdict || !isDeepStrictEqual(before.passed, judged.passed);
}

/** A robot that must be stopped. */
export interface RobotInWeather {
  readonly id: number;
  readonly siteId: number;
  /** The limit that its site passed. */
  readonly passed: PassedLimit | null;
}

/**
 * Robots that move, or may be about to, where a limit is passed, and that nobody is stopping yet: all, or those of
 * `among`. However old the judgement: a Stop too many does no harm.
 */
export async function findRobotsInWeather(
  db: Executor,
  among: readonly number[] | null = null,
): Promise<RobotInWeather[]> {
  return db
    .selectFrom("site_guards as g")
    .innerJoin("robots as r", "r.site_id", "g.site_id")
    .innerJoin("robot_state as s", "s.robot_id", "r.id")
    .select(["r.id", "r.site_id as siteId", "g.passed"])
    .where("g.verdict", "=", "PASSED")
    .where(hasWeatherLimits)
    .where("r.deleted_at", "is", null)
    .where((eb) => eb.not(deviceRetired))
    .where((eb) => eb.or([eb("s.motion", "=", "MOVING"), isOpen("START")]))
    .where((eb) => eb.not(eb.or([isOpen("STOP"), isOpen("MAINTENANCE_ON")])))
    .$if(among !== null, (query) => query.where("r.id", "=", anyInt(among ?? [])))
    .orderBy("r.id")
    .execute();
}

const isOpen = (verb: "START" | "STOP" | "MAINTENANCE_ON") =>
  sql<boolean>`exists (select from commands c where c.robot_id = r.id and c.verb = ${verb} and c.settled_at is null)`;

/** The limits of a site, and how they were judged last. */
export type StoredGuard = Pick<
  Guard,
  | "max_gust_kmh"
  | "max_rain_mm"
  | "min_temperature_c"
  | "max_temperature_c"
  | "without_sensor"
  | "version"
  | "judged_at"
  | "verdict"
  | "within_since"
> & { readonly passed: PassedLimit | null };

/** Null for a site that never had limits. */
export async function readGuard(db: Executor, siteId: number): Promise<StoredGuard | null> {
  const guard = await db.selectFrom("site_guards").selectAll().where("site_id", "=", siteId).executeTakeFirst();
  return guard ?? null;
}

/** When the open alert about a passed limit was raised; null without one. */
export async function readPassedSince(db: Executor, siteId: number): Promise<Date | null> {
  return (await openSiteAlert(db, siteId, "WEATHER_LIMIT"))?.raised_at ?? null;
}

/** Serialises changes to a site's limits, also of one that has none yet. */
export async function lockGuard(tx: Tx, siteId: number): Promise<StoredGuard | null> {
  await tx
    .insertInto("site_guards")
    .values({ site_id: siteId, version: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const guard = await tx
    .selectFrom("site_guards")
    .selectAll()
    .where("site_id", "=", siteId)
    .forUpdate()
    .executeTakeFirst();
  return guard ?? null;
}

type Limits = Pick<
  Guard,
  "max_gust_kmh" | "max_rain_mm" | "min_temperature_c" | "max_temperature_c" | "without_sensor"
>;

/** As if it had never been judged: nothing starts before it is. */
const unjudged = { verdict: null, judged_at: null, passed: null, within_since: null } as const;

/** After the database was restored from a backup: weather of then stops nobody, and nothing starts by it. */
export async function judgeAnew(tx: Tx): Promise<void> {
  await tx
    .updateTable("site_guards")
    .set({ ...unjudged, change_no: changedNow })
    .execute();
}

/** With other limits, what was judged by the former ones counts for nothing. */
export async function changeGuard(tx: Tx, siteId: number, limits: Limits): Promise<void> {
  await tx
    .updateTable("site_guards")
    .set((eb) => ({
      ...limits,
      version: eb("version", "+", 1),
      ...unjudged,
      change_no: changedNow,
    }))
    .where("site_id", "=", siteId)
    .execute();
  await announceChange(tx);
}

import { OFFLINE_AFTER_MS } from "@suncrew/domain/devices/protocol-times.ts";
import type { SiteDay } from "@suncrew/domain/reports/report-range.ts";
import {
  DAY_CLOSING_GRACE_MS,
  DAY_SOURCES_KEPT_DAYS,
  siteDayAfter,
  siteDayOf,
} from "@suncrew/domain/robot-days/site-day.ts";
import { sql } from "kysely";
import { anyInt, type Db, type Executor, type Tx } from "../../platform/database/database.ts";
import { COLUMNS_OF_SOURCE, type DayFigures, type DaySource, noFigures } from "./day-figures.ts";
import {
  type DayScope,
  NO_STAY,
  readDayFigures,
  readRobotsWithin,
  readSiteAlerts,
  readStays,
  type Stay,
  withKnownBefore,
} from "./day-figures.repository.ts";

const DAY_MS = 86_400_000;
/** Robots computed per transaction, so that none is long. */
const ROBOTS_AT_ONCE = 200;
/** Changes of the past that one transaction takes into account. */
const CHANGES_AT_ONCE = 500;

const everySource: ReadonlySet<DaySource> = new Set(["READINGS", "PRESENCE", "RUNS", "ALERTS"]);

/** A day of a site, closed or the next one to close. */
interface Day {
  readonly site_id: number;
  readonly date: string;
  readonly began_at: Date;
  readonly ended_at: Date;
}

function dayRow(siteId: number, { date, fromMs, toMs }: SiteDay): Day {
  return { site_id: siteId, date, began_at: new Date(fromMs), ended_at: new Date(toMs) };
}

function scopeOf({ site_id, began_at, ended_at }: Day, now: Date): DayScope {
  return { siteId: site_id, fromMs: began_at.getTime(), toMs: ended_at.getTime(), now };
}

/** Sites that have something on record and no days yet, with the first time of it. */
function sitesWithoutDays(db: Executor) {
  return sql<{ id: number; timezone: string; first: Date }>`
    select * from (
      select s.id, s.timezone, least(
        (select min(online_at) from robot_presence where site_id = s.id),
        (select min(at) from runs where site_id = s.id),
        (select min(raised_at) from alerts where site_id = s.id),
        (select min(locked_at) from maintenance_locks where site_id = s.id)) as first
      from sites s where not exists (select from site_days d where d.site_id = s.id)
    ) found where first is not null`.execute(db);
}

/** Opens the first day of these sites, all at once: from then on it is known what is not closed anywhere. */
export async function openFirstDays(db: Db): Promise<void> {
  const { rows } = await sitesWithoutDays(db);
  if (rows.length === 0) return;
  const days = rows.map(({ id, timezone, first }) => dayRow(id, siteDayOf(first, timezone)));
  await db
    .insertInto("site_days")
    .values(days)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * The instant before which every day of every site is closed and has no correction outstanding: what is older may be
 * deleted from the tables that days are computed from. Null if that is not known yet, or nothing is on record.
 */
export async function daysClosedUntil(db: Executor): Promise<Date | null> {
  const { rows } = await sitesWithoutDays(db);
  if (rows.length > 0) return null;
  const { until } = await db
    .selectFrom("site_days")
    .where("closed_at", "is", null)
    .select((eb) =>
      sql<Date | null>`least(${eb.fn.min("began_at")}, (select min(from_at) from stale_days))`.as("until"),
    )
    .executeTakeFirstOrThrow();
  return until;
}

/** The site whose next day ended first, of those that are over; none that another server works on, or one of these. */
export async function findDayToClose(db: Db, now: Date, except: Iterable<number>): Promise<number | null> {
  const row = await db
    .selectFrom("site_days")
    .where("closed_at", "is", null)
    .where("ended_at", "<=", new Date(now.getTime() - DAY_CLOSING_GRACE_MS))
    .where("site_id", "!=", sql<number>`all(${[...except]}::int[])`)
    .select("site_id")
    .orderBy("ended_at")
    .orderBy("site_id")
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row?.site_id ?? null;
}

/** The next day to close of a site, locked; null if another server works on the site. */
async function lockOpenDay(tx: Tx, siteId: number) {
  return tx
    .selectFrom("site_days as d")
    .innerJoin("sites as s", "s.id", "d.site_id")
    .where("d.site_id", "=", siteId)
    .where("d.closed_at", "is", null)
    .select(["d.site_id", "d.date", "d.began_at", "d.ended_at", "d.done_robot_id", "s.timezone"])
    .forUpdate("d")
    .skipLocked()
    .executeTakeFirst();
}

/**
 * Closes the next day of a site, some robots per transaction, while `mayContinue`; what is left, any server continues.
 * False if it did not get to the end: that, or another server works on it, or the calendar has changed.
 */
export async function closeDay(db: Db, siteId: number, now: Date, mayContinue: () => boolean): Promise<boolean> {
  let listed: RobotsOfDay | null = null;
  while (mayContinue()) {
    const known: RobotsOfDay | null = listed;
    const step: Step = await db.transaction().execute((tx) => closeForSome(tx, siteId, now, known));
    if (step === "closed" || step === "left") return step === "closed";
    listed = step;
  }
  return false;
}

/** The robots that a day is computed for: listing them takes longer than computing some. */
interface RobotsOfDay {
  readonly date: string;
  readonly robots: ReadonlyMap<number, Stay>;
}

/** The robots of the day, some of which are still to be computed; closed; or left to another round or server. */
type Step = RobotsOfDay | "closed" | "left";

/** Computes the day for the next robots, and closes it after the last. */
async function closeForSome(tx: Tx, siteId: number, now: Date, listed: RobotsOfDay | null): Promise<Step> {
  const day = await lockDayToClose(tx, siteId, now);
  if (day === null) return "left";
  const scope = scopeOf(day, now);
  const robots =
    listed?.date === day.date ? listed.robots : await readRobotsWithin(tx, scope, await readStays(tx, siteId));
  const rest = [...robots].filter(([id]) => id > day.done_robot_id).toSorted(([one], [other]) => one - other);
  const batch = rest.slice(0, ROBOTS_AT_ONCE);
  const figures = await readDayFigures(tx, scope, new Map(batch), { sources: everySource, withMotion: true });
  await storeFigures(tx, day, figures, everySource);
  if (batch.length < rest.length) {
    await updateDay(tx, day)
      .set({ done_robot_id: batch.at(-1)?.[0] ?? 0 })
      .execute();
    return { date: day.date, robots };
  }
  await updateDay(tx, day)
    .set({ closed_at: now, ...(await readSiteAlerts(tx, scope)) })
    .execute();
  const next = siteDayAfter({ date: day.date, ended: day.ended_at }, day.timezone);
  await tx.insertInto("site_days").values(dayRow(siteId, next)).execute();
  return "closed";
}

function updateDay(tx: Tx, { site_id, date }: Pick<Day, "site_id" | "date">) {
  return tx.updateTable("site_days").where("site_id", "=", site_id).where("date", "=", date);
}

/** The next day of a site, locked, if it is over: by the site's present calendar, unless it is already being closed. */
async function lockDayToClose(tx: Tx, siteId: number, now: Date) {
  const day = await lockOpenDay(tx, siteId);
  if (day === undefined) return null;
  if (day.done_robot_id > 0) return day;
  const last = await tx
    .selectFrom("site_days")
    .where("site_id", "=", siteId)
    .where("date", "<", day.date)
    .select(["date", "ended_at as ended"])
    .orderBy("date", "desc")
    .limit(1)
    .executeTakeFirst();
  const current = last === undefined ? siteDayOf(day.began_at, day.timezone) : siteDayAfter(last, day.timezone);
  const { date, ended_at } = dayRow(siteId, current);
  if (date !== day.date || ended_at.getTime() !== day.ended_at.getTime())
    await updateDay(tx, day).set({ date, ended_at }).execute();
  return ended_at.getTime() + DAY_CLOSING_GRACE_MS > now.getTime() ? null : { ...day, date, ended_at };
}

/** Writes the columns of these sources; a row that is missing is made, if there is anything to write. */
async function storeFigures(
  tx: Tx,
  { site_id, date }: Pick<Day, "site_id" | "date">,
  figures: ReadonlyMap<number, DayFigures>,
  sources: ReadonlySet<DaySource>,
): Promise<void> {
  if (figures.size === 0) return;
  const rows = [...figures].map(([robot_id, of]) => ({ site_id, date, robot_id, ...of }));
  const columns = [...sources].flatMap((source) => COLUMNS_OF_SOURCE[source]);
  const set = sql.join(columns.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`));
  await sql`
    insert into robot_days as d select n.* from json_populate_recordset(null::robot_days, ${JSON.stringify(rows)}::json) n
    on conflict (site_id, date, robot_id) do update set ${set}, sample = d.sample or excluded.sample`.execute(tx);
}

/** Readings that waited longer than this for the database: their day may have closed. */
const LATE_MS = DAY_CLOSING_GRACE_MS / 3;

/** Has days corrected whose readings are stored only now. */
export async function markLateReadings(
  tx: Tx,
  readings: readonly { readonly robot_id: number; readonly site_id: number; readonly received_at: Date }[],
  now: Date,
): Promise<void> {
  const late = readings.filter(({ received_at }) => now.getTime() - received_at.getTime() > LATE_MS);
  if (late.length === 0) return;
  const times = Map.groupBy(late, ({ robot_id, site_id }) => `${site_id} ${robot_id}`);
  const rows = [...times.values()].flatMap((ofRobot) => {
    const atMs = ofRobot.map(({ received_at }) => received_at.getTime());
    const from_at = new Date(Math.min(...atMs));
    const until_at = new Date(Math.max(...atMs) + OFFLINE_AFTER_MS);
    return ofRobot.slice(0, 1).map(({ robot_id, site_id }) => ({
      site_id,
      robot_id,
      source: "READINGS" as const,
      from_at,
      until_at,
    }));
  });
  await tx.insertInto("stale_days").values(rows).execute();
}

/** Sites with changes of their past, the oldest change first. */
export async function findStaleSites(db: Db): Promise<number[]> {
  const rows = await db
    .selectFrom("stale_days")
    .select("site_id")
    .groupBy("site_id")
    .orderBy((eb) => eb.fn.min("id"))
    .execute();
  return rows.map(({ site_id }) => site_id);
}

/**
 * Computes closed days of a site again whose rows have changed, for some of these changes. False if none are left, or
 * another server works on the site.
 */
export async function correctDays(db: Db, siteId: number, now: Date): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if ((await lockOpenDay(tx, siteId)) === undefined) return false;
    const { changes, stale } = await takeChanges(tx, siteId);
    if (stale.length === 0) return changes > 0;
    const keptSinceMs = now.getTime() - (DAY_SOURCES_KEPT_DAYS - 1) * DAY_MS;
    // Only presence depends on them, and most changes are runs that ended after midnight.
    const needsStays = stale.some(({ source }) => source === "PRESENCE");
    const stays = needsStays ? await readStays(tx, siteId) : new Map<number, Stay>();
    // In the order of the days: a robot counts on one if it did on the day before.
    for (const ofDay of Map.groupBy(stale, ({ date }) => date).values()) {
      const [day] = ofDay;
      if (day === undefined) continue;
      for (const [source, changed] of Map.groupBy(ofDay, (each) => each.source)) {
        const isKept = (robotId: number) =>
          day.began_at.getTime() >= keptSinceMs ||
          // The newest presence of a robot is always kept.
          (source === "PRESENCE" && day.began_at.getTime() >= (stays.get(robotId)?.newestMs ?? Infinity));
        const robotIds = changed.map(({ robot_id }) => robot_id).filter(isKept);
        await correctDay(tx, { day, source, robotIds, stays, now });
        if (source === "ALERTS" && robotIds.length > 0)
          await updateDay(tx, day)
            .set(await readSiteAlerts(tx, scopeOf(day, now)))
            .execute();
      }
    }
    return changes > 0;
  });
}

interface StaleDay extends Day {
  readonly robot_id: number;
  readonly source: DaySource;
}

/** Takes some changes, and what they concern of the days that are closed already. */
async function takeChanges(tx: Tx, siteId: number): Promise<{ readonly changes: number; readonly stale: StaleDay[] }> {
  const { rows } = await sql<{ [Column in keyof StaleDay]: StaleDay[Column] | null }>`
    with changed as (
      delete from stale_days
      where id in (select id from stale_days where site_id = ${siteId} order by id limit ${CHANGES_AT_ONCE})
      returning robot_id, source, from_at, until_at
    )
    select distinct d.site_id, d.date, d.began_at, d.ended_at, c.robot_id, c.source
    from changed c left join site_days d on d.site_id = ${siteId} and d.ended_at > c.from_at and d.began_at < c.until_at
      and (d.closed_at is not null or d.done_robot_id >= c.robot_id)
    order by d.date`.execute(tx);
  return { changes: rows.length, stale: rows.filter((row): row is StaleDay => row.date !== null) };
}

interface Correction {
  readonly day: Day;
  readonly source: DaySource;
  readonly robotIds: readonly number[];
  readonly stays: ReadonlyMap<number, Stay>;
  readonly now: Date;
}

async function correctDay(tx: Tx, { day, source, robotIds, stays, now }: Correction): Promise<void> {
  const scope = scopeOf(day, now);
  const robots = await withKnownBefore(tx, scope, new Map(robotIds.map((id) => [id, stays.get(id) ?? NO_STAY])));
  const sources = new Set([source]);
  const figures = await readDayFigures(tx, scope, robots, { sources, withMotion: true });
  await storeFigures(tx, day, figures, sources);
  const none = noFigures();
  const without = robotIds.filter((id) => !figures.has(id));
  await tx
    .updateTable("robot_days")
    .set(Object.fromEntries(COLUMNS_OF_SOURCE[source].map((column) => [column, none[column]])))
    .where("site_id", "=", day.site_id)
    .where("date", "=", day.date)
    .where("robot_id", "=", anyInt(without))
    .execute();
}

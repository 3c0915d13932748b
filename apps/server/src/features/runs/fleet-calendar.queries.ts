import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { runsNight } from "@suncrew/contract/runs/runs.ts";
import { BEST_FIRST } from "@suncrew/domain/robot-history/night-states.ts";
import { nightOf, nightsFrom, type NightSpan } from "@suncrew/domain/robot-history/nights.ts";
import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import { requireCalendarDate } from "./calendar-entries.ts";
import { writeFleetCalendar } from "./fleet-calendar.ts";
import { readEntries, readUpcomingSchedules } from "./runs.queries.ts";

/** The place of a run among those of a robot's night; the lowest is the best. */
export const runRank = sql<number>`array_position(${[...BEST_FIRST]}::text[], coalesce(runs.outcome, 'RUNNING'))`;

interface Request {
  /** The first evening; undefined puts tonight's in the middle. */
  readonly from: string | undefined;
  readonly days: number;
  readonly now: Date;
}

/** Nights at all of the viewer's sites, as JSON. Throws 400 for nights out of range. */
export async function readFleetCalendar(viewer: Viewer, db: Executor, { from, days, now }: Request): Promise<string> {
  if (from !== undefined) requireCalendarDate("from", from);
  const sites = await visibleSites(viewer, db)
    .select(["sites.id", "sites.timezone"])
    .orderBy("sites.name")
    .orderBy("sites.id")
    .execute();
  const sitesOf = Map.groupBy(sites, ({ timezone }) => timezone);
  const tonights = new Map(Array.from(sitesOf.keys(), (zone) => [zone, nightOf(localTimeOf(now, zone))]));
  // The night that most sites are in.
  const [usual] = [...sitesOf].toSorted(([, one], [, other]) => other.length - one.length).map(([zone]) => zone);
  const tonight = tonights.get(usual ?? "") ?? nightOf(localTimeOf(now, "UTC"));
  const first = from ?? addDays(tonight, -Math.floor(days / 2));
  const dates = Array.from({ length: days }, (_, nth) => addDays(first, nth));
  const spans = new Map(Array.from(sitesOf.keys(), (zone) => [zone, nightsFrom(first, zone, days)]));
  const best = await countBestRuns(viewer, db, spans);
  const lastMs = Math.max(0, ...Array.from(spans.values(), (zone) => zone.at(-1)?.toMs ?? 0));
  const schedules = await readUpcomingSchedules(viewer, db, { to: new Date(lastMs) });
  return writeFleetCalendar({ dates, tonight, tonights, sites, best, schedules });
}

/** How many robots of each site had which best run in each night. */
async function countBestRuns(viewer: Viewer, db: Executor, spans: ReadonlyMap<string, readonly NightSpan[]>) {
  const rows = [...spans].flatMap(([timezone, nights]) =>
    nights.map(({ fromMs, toMs }, nth) => ({ timezone, from: instant(fromMs), to: instant(toMs), nth })),
  );
  if (rows.length === 0) return [];
  const nights = sql<{ timezone: string; from: Date; to: Date; nth: number }>`(select * from unnest(
    ${rows.map(({ timezone }) => timezone)}::text[],
    ${rows.map(({ from }) => from)}::timestamptz[],
    ${rows.map(({ to }) => to)}::timestamptz[],
    ${rows.map(({ nth }) => nth)}::int[]) as t (timezone, "from", "to", nth))`;
  const best = visibleSites(viewer, db)
    .innerJoin(nights.as("night"), "night.timezone", "sites.timezone")
    .innerJoin("runs", (join) =>
      join
        .onRef("runs.site_id", "=", "sites.id")
        .onRef("runs.at", ">=", "night.from")
        .onRef("runs.at", "<", "night.to"),
    )
    // Known bounds let the database read these nights alone, instead of all of history.
    .where("runs.at", ">=", new Date(Math.min(...rows.map(({ from }) => Date.parse(from)))))
    .where("runs.at", "<", new Date(Math.max(...rows.map(({ to }) => Date.parse(to)))))
    .select(["runs.site_id", "runs.robot_id", "night.nth"])
    .select(sql<number>`min(${runRank})`.as("rank"))
    .groupBy(["runs.site_id", "runs.robot_id", "night.nth"]);
  return db
    .selectFrom(best.as("best"))
    .select(["best.site_id", "best.nth", "best.rank"])
    .select((eb) => eb.fn.countAll<number>().as("robots"))
    .groupBy(["best.site_id", "best.nth", "best.rank"])
    .execute();
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/** One night of a site. Throws 404 out of scope, 400 for a date out of range. */
export async function readNight(
  viewer: Viewer,
  db: Executor,
  siteId: number,
  date: string,
): Promise<ResponseOf<typeof runsNight>> {
  const site = await visibleSites(viewer, db)
    .select("sites.timezone")
    .where("sites.id", "=", siteId)
    .executeTakeFirst();
  if (!site) throw notFound("Site");
  requireCalendarDate("date", date);
  const { timezone } = site;
  const [night] = nightsFrom(date, timezone, 1);
  if (night === undefined) throw new RangeError("There is a night.");
  const span = { from: new Date(night.fromMs), to: new Date(night.toMs) };
  return { timezone, entries: await readEntries(viewer, db, { siteId, timezone, ...span }) };
}

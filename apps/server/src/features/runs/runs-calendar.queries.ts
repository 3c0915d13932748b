import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import type { runsCalendar } from "@suncrew/contract/runs/runs.ts";
import { addDays, startOfWeek } from "@suncrew/domain/schedules/calendar-date.ts";
import { localTimeOf, siteToday, startOfDay } from "@suncrew/domain/schedules/site-time.ts";
import type { Executor } from "../../platform/database/database.ts";
import { invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import { comingRuns } from "./coming-runs.ts";
import { plannedEntry, recordedEntries } from "./calendar-entries.ts";
import { readComing } from "./planned-runs.queries.ts";
import { readRuns } from "./runs.queries.ts";

const FIRST_DAY = "2000-01-01";
const LAST_DAY = "2199-12-31";

/** A week of a site, Monday to Sunday by its clocks. Throws 404 out of scope, 400 for a day far away. */
export async function readCalendar(
  viewer: Viewer,
  db: Executor,
  siteId: number,
  asked: { readonly day?: string | undefined; readonly now: Date },
): Promise<ResponseOf<typeof runsCalendar>> {
  const site = await visibleSites(viewer, db)
    .select("sites.timezone")
    .where("sites.id", "=", siteId)
    .executeTakeFirst();
  if (!site) throw notFound("Site");
  const { timezone } = site;
  const today = siteToday(timezone, asked.now);
  const day = asked.day ?? today;
  if (day < FIRST_DAY || day > LAST_DAY) throw invalid("day", `day must lie between ${FIRST_DAY} and ${LAST_DAY}`);
  const monday = startOfWeek(day);
  const from = startOfDay(monday, timezone);
  const to = startOfDay(addDays(monday, 7), timezone);
  const recorded = await readRuns(viewer, db, { siteId, from, to });
  const coming = await readComing(viewer, db, { siteId, to });
  const entries = [
    ...recordedEntries(
      recorded.map(({ run }) => run),
      timezone,
    ),
    ...coming.flatMap((schedule) =>
      comingRuns(schedule, from, to).map((dueAt) => plannedEntry(schedule, dueAt, timezone)),
    ),
  ].toSorted((one, other) => one.begins_at.localeCompare(other.begins_at) || one.key.localeCompare(other.key));
  const byDay = Map.groupBy(entries, ({ begins_at }) => localTimeOf(new Date(begins_at), timezone).date);
  const dates = Array.from({ length: 7 }, (_, offset) => addDays(monday, offset));
  return { timezone, today, days: dates.map((date) => ({ date, entries: byDay.get(date) ?? [] })) };
}

import type { SiteDay } from "../reports/report-range.ts";
import { addDays } from "../schedules/calendar-date.ts";
import { localTimeOf, startOfDay } from "../schedules/site-time.ts";

/**
 * A day closes this long after its end, in milliseconds: whoever fell silent shortly before has been noticed by then,
 * and most of what comes late is there.
 */
export const DAY_CLOSING_GRACE_MS = 15 * 60_000;

/**
 * Presence, alerts and readings are kept for at least this many days. A closed day is corrected by them only that long:
 * later it may be that some are gone.
 */
export const DAY_SOURCES_KEPT_DAYS = 35;

/** The day of a site's calendar that contains an instant, from its beginning. */
export function siteDayOf(at: Date, timezone: string): SiteDay {
  const { date } = localTimeOf(at, timezone);
  return { date, fromMs: startOfDay(date, timezone).getTime(), toMs: startOfDay(addDays(date, 1), timezone).getTime() };
}

/**
 * The day that follows the one of this date and end: days follow each other without gaps. Where a site was moved to
 * another time zone, the rest of a date that is already closed belongs to the next one.
 */
export function siteDayAfter(last: { readonly date: string; readonly ended: Date }, timezone: string): SiteDay {
  const local = localTimeOf(last.ended, timezone).date;
  const date = local <= last.date ? addDays(last.date, 1) : local;
  return { date, fromMs: last.ended.getTime(), toMs: startOfDay(addDays(date, 1), timezone).getTime() };
}

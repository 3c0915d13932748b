import { addDays } from "../schedules/calendar-date.ts";
import { siteToday, startOfDay } from "../schedules/site-time.ts";

/** A calendar month at a site. */
interface SiteMonth {
  /** 'YYYY-MM-01'. */
  readonly firstDay: string;
  /** The end of the month at the site: its report is due from then on. */
  readonly endedAt: Date;
}

/** The last month that has ended in a time zone. */
export function lastMonth(timezone: string, now: Date): SiteMonth {
  const thisMonth = `${siteToday(timezone, now).slice(0, 7)}-01`;
  return { firstDay: `${addDays(thisMonth, -1).slice(0, 7)}-01`, endedAt: startOfDay(thisMonth, timezone) };
}

/** The first and last second of a month, 'YYYY-MM-DD HH:MM:SS' in the site's local time. */
export function monthRange(firstDay: string): { readonly from: string; readonly to: string } {
  // 31 days after a first day always lies in the next month.
  const next = `${addDays(firstDay, 31).slice(0, 7)}-01`;
  return { from: `${firstDay} 00:00:00`, to: `${addDays(next, -1)} 23:59:59` };
}

/** Such as 'October 2026'. */
export function monthName(firstDay: string): string {
  const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
  return month.format(new Date(`${firstDay}T00:00:00Z`));
}

import { addDays } from "../schedules/calendar-date.ts";
import { siteToday, startOfDay } from "../schedules/site-time.ts";

/** A month by a site's calendar. */
export interface SiteMonth {
  /** 'YYYY-MM-01'. */
  readonly firstDay: string;
  /** When it ended by the site's clocks: its report is due from then on. */
  readonly over: Date;
}

/** The month that was over last by the clocks of a zone. */
export function lastMonthOf(timezone: string, now: Date): SiteMonth {
  const thisMonth = `${siteToday(timezone, now).slice(0, 7)}-01`;
  return { firstDay: `${addDays(thisMonth, -1).slice(0, 7)}-01`, over: startOfDay(thisMonth, timezone) };
}

/** The first and the last second of a month, 'YYYY-MM-DD HH:MM:SS' by the site's clocks. */
export function monthRange(firstDay: string): { readonly from: string; readonly to: string } {
  // 31 days after a first day always lies in the next month.
  const next = `${addDays(firstDay, 31).slice(0, 7)}-01`;
  return { from: `${firstDay} 00:00:00`, to: `${addDays(next, -1)} 23:59:59` };
}

/** As people say it: 'October 2026'. */
export function monthWords(firstDay: string): string {
  const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
  return month.format(new Date(`${firstDay}T00:00:00Z`));
}

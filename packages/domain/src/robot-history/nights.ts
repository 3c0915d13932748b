import { addDays, type LocalTime } from "../schedules/calendar-date.ts";
import { instantOf, localTimeOf } from "../schedules/site-time.ts";
import type { Span } from "../reports/spans.ts";

/** A night: noon to noon of the site's local time, named by the date of its evening. */
export interface NightSpan extends Span {
  readonly date: string;
}

const NOON = "12:00:00";

/** The evening of the night that a local date and time of day ('HH:MM:SS') belongs to. */
export function nightOf({ date, time }: LocalTime): string {
  return time < NOON ? addDays(date, -1) : date;
}

/** Nights that follow each other, from that of an evening. */
export function nightsFrom(evening: string, timezone: string, count: number): NightSpan[] {
  const noonOf = (date: string) => instantOf(date, NOON, timezone).getTime();
  return Array.from({ length: count }, (_, nth) => {
    const date = addDays(evening, nth);
    return { date, fromMs: noonOf(date), toMs: noonOf(addDays(date, 1)) };
  });
}

/** The last `count` nights, oldest first; the last one is in progress. */
export function nightsUntil(now: Date, timezone: string, count: number): NightSpan[] {
  return nightsFrom(addDays(nightOf(localTimeOf(now, timezone)), 1 - count), timezone, count);
}

import { addDays } from "../schedules/calendar-date.ts";
import { instantOf, localDateTimeOf } from "../schedules/site-time.ts";
import type { Span } from "../reports/spans.ts";

/** A night: noon to noon of the site's local time, named by the date of its evening. */
export interface NightSpan extends Span {
  readonly date: string;
}

const NOON = "12:00:00";

/** The last `count` nights, oldest first; the last one is in progress. */
export function nightsUntil(now: Date, timezone: string, count: number): NightSpan[] {
  const current = localDateTimeOf(now, timezone).subtract({ hours: 12 }).toPlainDate().toString();
  const noonOf = (date: string) => instantOf(date, NOON, timezone).getTime();
  return Array.from({ length: count }, (_, nth) => {
    const date = addDays(current, nth + 1 - count);
    return { date, fromMs: noonOf(date), toMs: noonOf(addDays(date, 1)) };
  });
}

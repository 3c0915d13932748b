import type { QuietTimes } from "@suncrew/contract/notifications/contact-points.ts";
import { addDays } from "../schedules/calendar-date.ts";
import { instantOf, siteToday, startOfDay } from "../schedules/site-time.ts";

/** When a recipient is not to be disturbed, by the clocks of `timezone`. Monday is 1 and Sunday 7. */
export type QuietHours = Readonly<Pick<QuietTimes, "timezone" | "quiet_from" | "quiet_to">> & {
  readonly days_off: readonly number[];
};

interface Span {
  readonly start: Date;
  /** The first instant after it. */
  readonly end: Date;
}

export function isQuiet(quiet: QuietHours, at: Date): boolean {
  return quietUntil(quiet, at) !== null;
}

/**
 * The end of the quiet time that goes on at `at`, nights and days off that follow each other taken together; null if
 * it is not quiet. A week has at least one day that is not off (the contract sees to it). RangeError for an unknown
 * zone.
 */
export function quietUntil(quiet: QuietHours, at: Date): Date | null {
  if (quiet.quiet_from === null && quiet.days_off.length === 0) return null;
  const { timezone } = quiet;
  let until = at;
  // From yesterday on, whose night may still go on.
  for (let day = addDays(siteToday(timezone, at), -1); startOfDay(day, timezone) <= until; day = addDays(day, 1)) {
    for (const { start, end } of spansOf(quiet, day)) {
      if (start <= until && until < end) until = end;
    }
  }
  return until > at ? until : null;
}

/** What begins on a date: the date itself if it is off, and its night. */
function spansOf({ timezone, quiet_from: from, quiet_to: to, days_off }: QuietHours, date: string): Span[] {
  const next = addDays(date, 1);
  const spans: Span[] = [];
  if (days_off.includes(weekdayOf(date))) {
    spans.push({ start: startOfDay(date, timezone), end: startOfDay(next, timezone) });
  }
  if (from !== null && to !== null && from !== to) {
    // As spans between instants, and not by what the clocks show, an hour that occurs twice interrupts no night.
    spans.push({ start: instantOf(date, from, timezone), end: instantOf(to < from ? next : date, to, timezone) });
  }
  return spans;
}

function weekdayOf(date: string): number {
  return ((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;
}

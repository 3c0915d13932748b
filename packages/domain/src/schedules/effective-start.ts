import { addDays } from "./calendar-date.ts";
import { nextRunAfter } from "./next-run.ts";
import { siteToday, startOfDay } from "./site-time.ts";
import { parseStartTime, type ScheduleTimes, startTimeOf } from "./start-time.ts";

export type EffectiveStart =
  | {
      readonly kind: "start";
      /** What is stored: a ONCE whose time today is past becomes tomorrow's; the others keep their date. */
      readonly startTime: string;
      /** True where today's time is past already, so that the first run is not today's: the dialog says so. */
      readonly moved: boolean;
      readonly firstRun: Date;
    }
  /** A ONCE on a day before the site's today. */
  | { readonly kind: "before-today" }
  /** No such day or time, or not 'YYYY-MM-DD HH:MM:SS'. */
  | { readonly kind: "not-a-time" };

/**
 * Decisions, Time: a time already past today means the next one (ONCE and DAILY tomorrow, WEEKLY in a week, MONTHLY
 * next month). Recurring schedules may begin in the past: their date fixes the weekday or the day, and is kept.
 */
export function effectiveStart(asked: ScheduleTimes, timezone: string, now: Date): EffectiveStart {
  const local = parseStartTime(asked.startTime);
  if (local === null) return { kind: "not-a-time" };
  const today = siteToday(timezone, now);
  if (asked.frequency === "ONCE" && local.date < today) return { kind: "before-today" };

  // Compared as instants, so that the hour that comes twice counts as past after its first time.
  const beforeToday = new Date(startOfDay(today, timezone).getTime() - 1);
  const runOfToday = nextRunAfter(asked, timezone, beforeToday);
  const moved = runOfToday !== null && runOfToday <= now;
  // One step does, but where clocks go back over midnight: there tomorrow's time can be past today already.
  for (let days = 0; ; days += 1) {
    const startTime = startTimeOf(addDays(local.date, days), local.time);
    const firstRun = nextRunAfter({ ...asked, startTime }, timezone, now);
    if (firstRun !== null) return { kind: "start", startTime, moved, firstRun };
  }
}

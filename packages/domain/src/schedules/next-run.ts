import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import { Temporal } from "temporal-polyfill";
import { addDays, daysBetween, parseStartTime, type ScheduleTimes, startTimeOf } from "./calendar-date.ts";
import { instantOfLocal, localDateTimeOf, siteToday, startOfDay } from "./site-time.ts";

/**
 * The first instant strictly after `after` at which the schedule is due, null if there is none (ONCE). One that runs when
 * worth it is due every day: then it is known whether it runs.
 * Given a run's own due time it returns the next one, so that each run missed in a long downtime is handled in turn.
 * RangeError for a start time or zone that does not exist.
 */
export function nextRunAfter(schedule: ScheduleTimes, timezone: string, after: Date): Date | null {
  const start = Temporal.PlainDateTime.from(schedule.startTime);
  if (schedule.frequency === "ONCE") {
    const run = instantOfLocal(start, timezone);
    return run > after ? run : null;
  }
  // Days before the local date at `after` have passed, however clocks change: no need to begin earlier.
  const shown = localDateTimeOf(after, timezone);
  let step = Math.max(0, stepsUpTo(start.toPlainDate(), shown.toPlainDate(), schedule.frequency));
  for (;;) {
    const run = instantOfLocal(stepped(start, step, schedule.frequency), timezone);
    if (run > after) return run;
    step += 1;
  }
}

/** The next due instants strictly after `after`, at most `count`. */
export function nextRunsAfter(schedule: ScheduleTimes, timezone: string, after: Date, count: number): Date[] {
  const runs: Date[] = [];
  let last: Date | null = after;
  while (runs.length < count) {
    last = nextRunAfter(schedule, timezone, last);
    if (last === null) break;
    runs.push(last);
  }
  return runs;
}

/** Every due instant from `from` (inclusive) to `to` (exclusive). */
export function runsBetween(schedule: ScheduleTimes, timezone: string, from: Date, to: Date): Date[] {
  const runs: Date[] = [];
  let run = nextRunAfter(schedule, timezone, new Date(from.getTime() - 1));
  while (run !== null && run < to) {
    runs.push(run);
    run = nextRunAfter(schedule, timezone, run);
  }
  return runs;
}

/**
 * The local dates from `first` to `last` on which a schedule is due; the dates of `runsBetween` without the instants,
 * which take a hundred times as long for the schedules of a thousand sites.
 */
export function dueDates({ startTime, frequency }: ScheduleTimes, first: string, last: string): string[] {
  const start = startTime.slice(0, 10);
  const length = Math.max(0, daysBetween(first, last) + 1);
  const days = Array.from({ length }, (_, nth) => addDays(first, nth)).filter((day) => day >= start);
  switch (frequency) {
    case "ONCE":
      return days.filter((day) => day === start);
    case "DAILY":
    case "WHEN_WORTH_IT":
      return days;
    case "WEEKLY":
      return days.filter((day) => daysBetween(start, day) % 7 === 0);
    case "MONTHLY": {
      const date = start.slice(8);
      // A day that a month lacks becomes its last day.
      return days.filter((day) => day.slice(8) === date || (day.slice(8) < date && addDays(day, 1).endsWith("-01")));
    }
  }
}

type Recurring = Exclude<Frequency, "ONCE">;

/** How many whole steps lead from the start to a date or its month; computed, because a start may lie years back. */
function stepsUpTo(start: Temporal.PlainDate, day: Temporal.PlainDate, frequency: Recurring): number {
  switch (frequency) {
    case "DAILY":
    case "WHEN_WORTH_IT":
      return start.until(day, { largestUnit: "days" }).days;
    case "WEEKLY":
      return Math.floor(start.until(day, { largestUnit: "days" }).days / 7);
    case "MONTHLY":
      return (day.year - start.year) * 12 + day.month - start.month;
  }
}

/** Steps count from the start and not from run to run: the 31st stays the 31st after a February. */
function stepped(start: Temporal.PlainDateTime, step: number, frequency: Recurring): Temporal.PlainDateTime {
  switch (frequency) {
    case "DAILY":
    case "WHEN_WORTH_IT":
      return start.add({ days: step });
    case "WEEKLY":
      return start.add({ weeks: step });
    case "MONTHLY":
      // A day that a month lacks becomes its last day.
      return start.add({ months: step }, { overflow: "constrain" });
  }
}

type EffectiveStart =
  | {
      readonly kind: "start";
      /** What is stored: a ONCE whose time today has passed becomes tomorrow's; the others keep their date. */
      readonly startTime: string;
      /** True if today's time has already passed, so that the first run is not today's: the dialog says so. */
      readonly moved: boolean;
      readonly firstRun: Date;
    }
  /** A ONCE on a date before the site's today. */
  | { readonly kind: "before-today" }
  /** No such date or time, or not 'YYYY-MM-DD HH:MM:SS'. */
  | { readonly kind: "not-a-time" };

/**
 * Decisions, Time: a time already past today means the next one (ONCE, DAILY and WHEN_WORTH_IT tomorrow, WEEKLY in a week, MONTHLY
 * next month). Recurring schedules may start in the past: their date determines the weekday or the day, and stays.
 */
export function effectiveStart(requested: ScheduleTimes, timezone: string, now: Date): EffectiveStart {
  const local = parseStartTime(requested.startTime);
  if (local === null) return { kind: "not-a-time" };
  const today = siteToday(timezone, now);
  if (requested.frequency === "ONCE" && local.date < today) return { kind: "before-today" };

  // Compared as instants, so that an hour that occurs twice counts as past after its first time.
  const beforeToday = new Date(startOfDay(today, timezone).getTime() - 1);
  const runOfToday = nextRunAfter(requested, timezone, beforeToday);
  const moved = runOfToday !== null && runOfToday <= now;
  // One step is enough, unless clocks go back across midnight: then tomorrow's time can already be past today.
  for (let days = 0; ; days += 1) {
    const startTime = startTimeOf(addDays(local.date, days), local.time);
    const firstRun = nextRunAfter({ ...requested, startTime }, timezone, now);
    if (firstRun !== null) return { kind: "start", startTime, moved, firstRun };
  }
}

import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import { Temporal } from "temporal-polyfill";
import { instantOfLocal, localDateTimeOf } from "./site-time.ts";
import type { ScheduleTimes } from "./start-time.ts";

/**
 * The first instant strictly after `after` at which the schedule is due, null where none comes any more (ONCE).
 * Handed a run's own due time it tells the next one, so that each run missed in a long downtime is met in its turn.
 * RangeError for a start time or zone that does not exist.
 */
export function nextRunAfter(schedule: ScheduleTimes, timezone: string, after: Date): Date | null {
  const start = Temporal.PlainDateTime.from(schedule.startTime);
  if (schedule.frequency === "ONCE") {
    const run = instantOfLocal(start, timezone);
    return run > after ? run : null;
  }
  // Days before the one that clocks show at `after` are past, however clocks change: no need to begin earlier.
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

/** Every due instant from `from` on and before `to`. */
export function runsBetween(schedule: ScheduleTimes, timezone: string, from: Date, to: Date): Date[] {
  const runs: Date[] = [];
  let run = nextRunAfter(schedule, timezone, new Date(from.getTime() - 1));
  while (run !== null && run < to) {
    runs.push(run);
    run = nextRunAfter(schedule, timezone, run);
  }
  return runs;
}

type Recurring = Exclude<Frequency, "ONCE">;

/** How many whole steps lead from the start up to a day or its month; computed, as a start may lie years back. */
function stepsUpTo(start: Temporal.PlainDate, day: Temporal.PlainDate, frequency: Recurring): number {
  switch (frequency) {
    case "DAILY":
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
      return start.add({ days: step });
    case "WEEKLY":
      return start.add({ weeks: step });
    case "MONTHLY":
      // A day that a month lacks becomes its last day.
      return start.add({ months: step }, { overflow: "constrain" });
  }
}

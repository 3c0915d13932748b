import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import { isCalendarDate } from "./calendar-date.ts";

/** What decides when a schedule is due. */
export interface ScheduleTimes {
  /**
   * 'YYYY-MM-DD HH:MM:SS' as the clocks at the site show it. Its date is the first day that may run, and fixes the
   * weekday of WEEKLY and the day of MONTHLY.
   */
  readonly startTime: string;
  readonly frequency: Frequency;
}

/** A day and a time of day ('HH:MM:SS'), as the clocks at a site show them. */
export interface LocalTime {
  readonly date: string;
  readonly time: string;
}

/** The parts of a `start_time`; null for text of another form, and for days and times that do not exist. */
export function parseStartTime(text: string): LocalTime | null {
  const [, date, time] = /^(\d{4}-\d{2}-\d{2}) ((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)$/.exec(text) ?? [];
  return date !== undefined && time !== undefined && isCalendarDate(date) ? { date, time } : null;
}

/** §5 Schedule: the start time is built from a day and the time chosen, 'HH:MM' or 'HH:MM:SS'. */
export function startTimeOf(date: string, time: string): string {
  return `${date} ${time.length === 5 ? `${time}:00` : time}`;
}

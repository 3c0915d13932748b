import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";

/** Dates as 'YYYY-MM-DD', without time or zone. Kept small, so that a page need not load the date library for them. */

const DAY_MS = 86_400_000;

/** The date this many days later, or earlier if `days` is negative. */
export function addDays(date: string, days: number): string {
  return new Date(midnightUtc(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Days from one date to the other; negative if the other is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((midnightUtc(to) - midnightUtc(from)) / DAY_MS);
}

/** The Monday of the week that contains the date. */
export function startOfWeek(date: string): string {
  return addDays(date, -((new Date(midnightUtc(date)).getUTCDay() + 6) % 7));
}

/** False for dates that do not exist, such as 2026-02-30. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = midnightUtc(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function midnightUtc(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** What decides when a schedule is due. */
export interface ScheduleTimes {
  /**
   * 'YYYY-MM-DD HH:MM:SS', local time at the site. Its date is the first on which it may run, and determines the
   * weekday of WEEKLY and the day of MONTHLY.
   */
  readonly startTime: string;
  readonly frequency: Frequency;
}

/** A date and a time of day ('HH:MM:SS'), local time at a site. */
export interface LocalTime {
  readonly date: string;
  readonly time: string;
}

/** The parts of a `start_time`; null for text of another form, and for dates and times that do not exist. */
export function parseStartTime(text: string): LocalTime | null {
  const [, date, time] = /^(\d{4}-\d{2}-\d{2}) ((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)$/.exec(text) ?? [];
  return date !== undefined && time !== undefined && isCalendarDate(date) ? { date, time } : null;
}

/** §5 Schedule: the start time is built from a date and the chosen time, 'HH:MM' or 'HH:MM:SS'. */
export function startTimeOf(date: string, time: string): string {
  return `${date} ${time.length === 5 ? `${time}:00` : time}`;
}

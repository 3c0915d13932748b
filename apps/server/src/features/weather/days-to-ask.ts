import { addDays } from "@suncrew/domain/schedules/calendar-date.ts";
import { type DayRange, daysOf } from "./conditions.ts";

/** What is stored of a day in UTC. */
export interface StoredDay {
  readonly day: string;
  /** Of the place, tilt and provider that are asked for now. */
  readonly isSame: boolean;
  readonly confirmedAt: Date;
  /** The provider knew nothing of that day, and an archive might. */
  readonly isEmpty: boolean;
}

/** Beyond that, days are asked for as days of the past. */
const RECENT_DAYS = 92;
const FORECAST_DAYS = 5;
/** Forecasts of a day are corrected until then. */
const SETTLED_AFTER_DAYS = 3;
const KNOWN_DAYS = 365;
/** The archive knows a day some five days later. */
const ARCHIVED_AFTER_DAYS = 8;
/** Days of the past that are asked for at once. */
const CHUNK_DAYS = 92;

/** The last days and the forecast: from the first day that was not confirmed some days after it. */
export function recentDays(today: string, stored: readonly StoredDay[], pastDays = RECENT_DAYS): DayRange {
  const settled = new Set(
    stored
      .filter(({ day, isSame, confirmedAt }) => isSame && confirmedAt >= startOf(addDays(day, SETTLED_AFTER_DAYS)))
      .map(({ day }) => day),
  );
  const past = daysOf({ first: addDays(today, -pastDays), last: addDays(today, -SETTLED_AFTER_DAYS) });
  const first = past.find((day) => !settled.has(day)) ?? addDays(today, -SETTLED_AFTER_DAYS);
  return { first, last: addDays(today, FORECAST_DAYS) };
}

/** The newest missing days of the past year, and whether there are more; null if none is missing. */
export function missingDays(
  today: string,
  stored: readonly StoredDay[],
): { readonly range: DayRange; readonly days: ReadonlySet<string>; readonly more: boolean } | null {
  const of = new Map(stored.map((day) => [day.day, day]));
  const recent = addDays(today, -RECENT_DAYS);
  const missing = daysOf({ first: addDays(today, -KNOWN_DAYS), last: addDays(today, -ARCHIVED_AFTER_DAYS) }).filter(
    (day) => {
      const known = of.get(day);
      // Recent days are asked for as such, unless that gave nothing.
      return known?.isSame === true ? known.isEmpty : day < recent;
    },
  );
  const last = missing.at(-1);
  if (last === undefined) return null;
  const chunk = missing.filter((day) => day > addDays(last, -CHUNK_DAYS));
  return { range: { first: chunk[0] ?? last, last }, days: new Set(chunk), more: chunk.length < missing.length };
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

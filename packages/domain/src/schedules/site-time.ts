import { Temporal } from "temporal-polyfill";
import type { LocalTime } from "./calendar-date.ts";

/** The local time of a zone at an instant; RangeError for an unknown zone. */
export function localTimeOf(instant: Date, timezone: string): LocalTime {
  const local = localDateTimeOf(instant, timezone);
  return { date: local.toPlainDate().toString(), time: local.toPlainTime().toString({ smallestUnit: "second" }) };
}

const knownZones = new Set<string>();

/** Whether this computer knows a zone; a newer one, or the engine of its browser, may know more. */
export function isKnownZone(timezone: string): boolean {
  if (knownZones.has(timezone)) return true;
  try {
    localTimeOf(new Date(0), timezone);
  } catch {
    return false;
  }
  knownZones.add(timezone);
  return true;
}

/** The local date of a zone, 'YYYY-MM-DD'. */
export function siteToday(timezone: string, now: Date): string {
  return localTimeOf(now, timezone).date;
}

/**
 * The instant of a local date and time ('HH:MM' or 'HH:MM:SS') in a zone. A time that a clock change skips means
 * the first minute after the gap, one that occurs twice the first. RangeError for dates and times that do not exist.
 */
export function instantOf(date: string, time: string, timezone: string): Date {
  return instantOfLocal(Temporal.PlainDateTime.from(`${date}T${time}`), timezone);
}

/** The first instant of a day. */
export function startOfDay(date: string, timezone: string): Date {
  return instantOf(date, "00:00:00", timezone);
}

/** Like `localTimeOf`, but unformatted, for modules that compute with days. */
export function localDateTimeOf(instant: Date, timezone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timezone).toPlainDateTime();
}

/** Like `instantOf`, but from a parsed time, for modules that compute with days. */
export function instantOfLocal(local: Temporal.PlainDateTime, timezone: string): Date {
  const first = local.toZonedDateTime(timezone, { disambiguation: "earlier" });
  // "earlier" moves a time in a gap back to before the gap: the clock change itself is the next one from there.
  const isInGap = !first.toPlainDateTime().equals(local);
  const run = isInGap ? (first.getTimeZoneTransition("next") ?? first) : first;
  return new Date(run.epochMilliseconds);
}

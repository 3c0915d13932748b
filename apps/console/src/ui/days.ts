/**
 * An earlier date, `YYYY-MM-DD`, is never meant: the year is still being typed, and so far one of the first centuries.
 */
export const EARLIEST_DAY = "1970-01-01";

/** The instant at which a date begins in the browser's time zone, or that many days later. */
export function startOfDay(day: string, daysLater: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysLater);
}

/** A zone's local date; the browser's if no zone is known. */
export function todayIn(timezone: string | undefined, now: Date): string {
  return new Intl.DateTimeFormat("en-CA", timezone === undefined ? {} : { timeZone: timezone }).format(now);
}

/** True if a range of dates is empty: then nothing needs to be requested. */
export function endsBeforeItBegins({ from, to }: { from: string | null; to: string | null }): boolean {
  return from !== null && to !== null && to < from;
}

const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** A date, `YYYY-MM-DD`, as it is shown and typed everywhere: "22 Nov 2026". */
export function shortDayText(day: string): string {
  return short.format(new Date(`${day}T00:00:00Z`));
}

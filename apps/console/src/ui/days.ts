/** Nobody means an earlier day, `YYYY-MM-DD`: the year is still being typed, and so far one of the first centuries. */
export const EARLIEST_DAY = "1970-01-01";

/** The instant at which a day begins by the clock of the browser, or that many days later. */
export function startOfDay(day: string, daysLater: number): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysLater);
}

/** The day that a zone's clocks show; that of the browser where no zone is known. */
export function todayIn(timezone: string | undefined, now: Date): string {
  return new Intl.DateTimeFormat("en-CA", timezone === undefined ? {} : { timeZone: timezone }).format(now);
}

/** True where a range of days cannot hold anything: then nobody needs to be asked. */
export function endsBeforeItBegins({ from, to }: { from: string | null; to: string | null }): boolean {
  return from !== null && to !== null && to < from;
}

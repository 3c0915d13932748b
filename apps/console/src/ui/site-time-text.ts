const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: timezone,
  });
  formats.set(timezone, format);
  return format;
}

function partsOf(at: Date, timezone: string): Readonly<Partial<Record<Intl.DateTimeFormatPartTypes, string>>> {
  return Object.fromEntries(
    formatOf(timezone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
}

/** A zone's local time: "Sun 22 Nov, 06:00"; with the year if it is not that of `now` there. */
export function siteTimeText(at: Date, timezone: string, now: Date): string {
  const parts = partsOf(at, timezone);
  const year = parts.year === partsOf(now, timezone).year ? "" : ` ${parts.year}`;
  return `${parts.weekday} ${parts.day} ${parts.month}${year}, ${parts.hour}:${parts.minute}`;
}

/** Only the time of day, `HH:MM`. */
export function siteClockText(at: Date, timezone: string): string {
  const { hour, minute } = partsOf(at, timezone);
  return `${hour}:${minute}`;
}

/** As short as is clear: only the time of day if it is today there, otherwise with its date. */
export function siteShortText(at: Date, timezone: string, now: Date): string {
  const isToday = (["day", "month", "year"] as const).every(
    (part) => partsOf(at, timezone)[part] === partsOf(now, timezone)[part],
  );
  return isToday ? siteClockText(at, timezone) : siteTimeText(at, timezone, now);
}

const plainDay = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** A date, `YYYY-MM-DD`, as "Sun 22 Nov 2026". */
export function dayText(date: string): string {
  const { weekday, day, month, year } = Object.fromEntries(
    plainDay.formatToParts(new Date(`${date}T00:00:00Z`)).map(({ type, value }) => [type, value]),
  );
  return `${weekday} ${day} ${month} ${year}`;
}

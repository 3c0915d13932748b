import { addDays, daysBetween } from "../schedules/calendar-date.ts";
import { instantOf, localTimeOf, startOfDay } from "../schedules/site-time.ts";
import type { Span } from "./spans.ts";

export interface ReportSpan {
  readonly from: Date;
  /** The instant after the last second. */
  readonly to: Date;
}

type RangeChoice = ReportSpan | { readonly field: "from" | "to"; readonly problem: string };

/** A calendar day at a site, clipped to the range. */
export interface SiteDay extends Span {
  readonly date: string;
}

/**
 * The span between two local times 'YYYY-MM-DD HH:MM:SS', including the last second. A time skipped by a clock change
 * means the first instant after the gap; an ambiguous one means its first occurrence. So a range to 23:59:59 always ends
 * with the day, even where clocks go back at midnight.
 */
export function reportSpanOf(from: string, to: string, timezone: string, maxDays: number): RangeChoice {
  if (from > to) return { field: "from", problem: "from must not be after to" };
  const days = daysBetween(from.slice(0, 10), to.slice(0, 10)) + 1;
  if (days > maxDays)
    return { field: "to", problem: `A report covers at most ${maxDays} days; this range has ${days}.` };
  return { from: instantOfText(from, timezone), to: instantOfText(secondAfter(to), timezone) };
}

function instantOfText(text: string, timezone: string): Date {
  return instantOf(text.slice(0, 10), text.slice(11), timezone);
}

function secondAfter(text: string): string {
  return new Date(Date.parse(`${text.replace(" ", "T")}Z`) + 1_000).toISOString().slice(0, 19).replace("T", " ");
}

/** The days a range touches, contiguous and in order; the first and last are clipped to it. */
export function siteDaysOf({ from, to }: ReportSpan, timezone: string): SiteDay[] {
  const days: SiteDay[] = [];
  let { date } = localTimeOf(from, timezone);
  let fromMs = from.getTime();
  while (fromMs < to.getTime()) {
    const next = addDays(date, 1);
    const toMs = Math.min(startOfDay(next, timezone).getTime(), to.getTime());
    // A zone that moved across the date line skips a day.
    if (toMs > fromMs) days.push({ date, fromMs, toMs });
    fromMs = Math.max(fromMs, toMs);
    date = next;
  }
  return days;
}

/** A time zone's UTC offset at an instant, as `UTC+05:30`. */
export function utcOffsetOf(at: Date, timezone: string): string {
  const { date, time } = localTimeOf(at, timezone);
  const seconds = Math.floor(at.getTime() / 1_000);
  const minutes = Math.round((Date.parse(`${date}T${time}Z`) / 1_000 - seconds) / 60);
  const text = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, "0");
  return `UTC${minutes < 0 ? "-" : "+"}${text(minutes / 60)}:${text(minutes % 60)}`;
}

/** UTC offsets change only at full quarters of an hour. */
const QUARTER_MS = 900_000;
const MAX_CACHED = 20_000;

const offsets = new Map<string, number>();

/**
 * Local time in a zone, `YYYY-MM-DD HH:MM:SS`: `localTimeOf` for a million rows, with the offset cached per quarter of an
 * hour.
 */
export function localTextOf(at: Date, timezone: string): string {
  const quarter = Math.floor(at.getTime() / QUARTER_MS);
  const key = `${quarter} ${timezone}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    const begins = new Date(quarter * QUARTER_MS);
    const { date, time } = localTimeOf(begins, timezone);
    offset = Date.parse(`${date}T${time}Z`) - begins.getTime();
    if (offsets.size >= MAX_CACHED) offsets.clear();
    offsets.set(key, offset);
  }
  return new Date(at.getTime() + offset).toISOString().slice(0, 19).replace("T", " ");
}

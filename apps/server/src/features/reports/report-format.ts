import type { FigureUnit } from "@suncrew/domain/reports/report-figures.ts";
import type { ReportRange, ReportTime } from "./report-data.ts";

/** How numbers and times are written in a report. Missing values are spelled out, never shown as 0. */
const NO_DATA = "No data";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export function count(value: number): string {
  return whole.format(value);
}

export function percent(value: number | null): string {
  return value === null ? NO_DATA : `${oneDecimal(value)} %`;
}

export function oneDecimal(value: number): string {
  return tenths.format(value);
}

/** To the minute, so that what is added up can be recalculated: "45 min", "30 h", "1,112 h 37 min". */
export function hours(minutes: number | null): string {
  if (minutes === null) return NO_DATA;
  const all = Math.round(minutes);
  if (all < 60) return `${all} min`;
  return `${count(Math.floor(all / 60))} h${all % 60 === 0 ? "" : ` ${all % 60} min`}`;
}

/** Such as "2 days 3 h", "3 h 25 min" or "12 min". */
export function duration(value: number | null): string {
  if (value === null) return NO_DATA;
  const all = Math.round(value);
  if (all < 60) return `${all} min`;
  const hours = Math.floor(all / 60);
  if (hours < 48) return `${hours} h ${all % 60} min`;
  return `${count(Math.floor(hours / 24))} days ${hours % 24} h`;
}

/** `days` is the number of days in the range. */
export function figure(value: number | null, unit: FigureUnit, days: number): string {
  if (value === null) return NO_DATA;
  const ofDays = `${outOf(value, days)} ${days === 1 ? "day" : "days"}`;
  return { percent: percent(value), count: count(value), minutes: hours(value), days: ofDays }[unit];
}

/** Such as "9 of 30". */
export function outOf(part: number, whole: number): string {
  return `${count(part)} of ${count(whole)}`;
}

/** `2026-11-03` as "3 Nov 2026". */
export function formatDate(date: string): string {
  return `${dayOfMonth(date)} ${date.slice(0, 4)}`;
}

/** `2026-11-03` as "3 Nov". */
export function dayOfMonth(date: string): string {
  return `${Number(date.slice(8, 10))} ${months[Number(date.slice(5, 7)) - 1] ?? ""}`;
}

/** To the minute, in the site's local time. */
export function formatDateTime(time: ReportTime | null, otherwise: string): string {
  return time === null ? otherwise : `${formatDate(time.local)}, ${time.local.slice(11, 16)}`;
}

/** To the second. */
export function formatTimestamp(time: ReportTime): string {
  return `${formatDate(time.local)}, ${time.local.slice(11, 19)}`;
}

/** The same second in UTC; printed next to the local time, so it needs no year. */
export function formatUtc(time: ReportTime): string {
  return `${dayOfMonth(time.utc)}, ${time.utc.slice(11, 19)}`;
}

/** The number with its noun, `one` or `many`. */
export function countOf(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Dates alone if the range consists of full days. */
export function rangeText({ from, to }: ReportRange): string {
  const isWhole = from.local.endsWith("00:00:00") && to.local.endsWith("23:59:59");
  if (!isWhole) return `${formatTimestamp(from)} to ${formatTimestamp(to)}`;
  const [first, last] = [formatDate(from.local), formatDate(to.local)];
  return first === last ? first : `${first} to ${last}`;
}

/** The UTC offsets of the site's local time. */
export function offsetText({ fromOffset, toOffset }: ReportRange): string {
  return fromOffset === toOffset ? fromOffset : `${fromOffset} at the start, ${toOffset} at the end`;
}

import { addDays, daysBetween } from "../schedules/calendar-date.ts";
import type { FigureUnit } from "./report-figures.ts";
import { monthRange } from "./report-months.ts";

/** Longer ranges are not compared: it would take twice as long to read what is already long. */
export const COMPARED_MAX_DAYS = 92;

interface RangeBefore {
  /** 'YYYY-MM-DD HH:MM:SS', the site's local time. */
  readonly from: string;
  readonly to: string;
  /** True if both are whole calendar months. */
  readonly isMonth: boolean;
}

/** What a range is compared with: of a calendar month the one before, otherwise as many days as it touches. */
export function rangeBefore(from: string, to: string): RangeBefore | null {
  const [first, last] = [from.slice(0, 10), to.slice(0, 10)];
  const month = `${first.slice(0, 7)}-01`;
  const whole = monthRange(month);
  if (whole.from === from && whole.to === to) {
    return { ...monthRange(`${addDays(month, -1).slice(0, 7)}-01`), isMonth: true };
  }
  const days = daysBetween(first, last) + 1;
  if (days > COMPARED_MAX_DAYS) return null;
  const earlier = (time: string) => `${addDays(time.slice(0, 10), -days)}${time.slice(10)}`;
  return { from: earlier(from), to: earlier(to), isMonth: false };
}

/** A figure of a range, with the days on which it is known. */
export interface ComparedFigure {
  readonly value: number | null;
  readonly days: number;
  readonly ofDays: number;
}

/** By how much a figure changed, in its unit. NOT_KNOWN: one has no data. UNEVEN: a total over too different a time. */
export type FigureChange = { readonly kind: "CHANGE"; readonly by: number } | { readonly kind: "NOT_KNOWN" | "UNEVEN" };

/** Totals are compared only if the shares of days with data differ by at most this, in percentage points. */
const EVEN_POINTS = 10;

/** Both are rounded as they are printed first, so that the change is the difference of what is printed. */
export function changeOf(now: ComparedFigure, before: ComparedFigure, unit: FigureUnit): FigureChange {
  if (now.value === null || before.value === null || now.days === 0 || before.days === 0) return { kind: "NOT_KNOWN" };
  const isShare = unit === "percent";
  const shareOf = ({ days, ofDays }: ComparedFigure) => (100 * days) / Math.max(1, ofDays);
  if (!isShare && Math.abs(shareOf(now) - shareOf(before)) > EVEN_POINTS) return { kind: "UNEVEN" };
  const printed = (value: number) => (isShare ? Math.round(value * 10) : Math.round(value));
  const by = printed(now.value) - printed(before.value);
  return { kind: "CHANGE", by: isShare ? by / 10 : by };
}

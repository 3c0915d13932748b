import { localTimeOf } from "../schedules/site-time.ts";

/** Clocks are put forward or back at full quarters of an hour. */
const QUARTER_MS = 900_000;
const KEPT = 20_000;

const offsets = new Map<string, number>();

/**
 * What the clocks of a zone show, `YYYY-MM-DD HH:MM:SS`: `localTimeOf` for a million rows, which asks the calendar once
 * for each quarter of an hour.
 */
export function localTextOf(at: Date, timezone: string): string {
  const quarter = Math.floor(at.getTime() / QUARTER_MS);
  const key = `${quarter} ${timezone}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    const begins = new Date(quarter * QUARTER_MS);
    const { date, time } = localTimeOf(begins, timezone);
    offset = Date.parse(`${date}T${time}Z`) - begins.getTime();
    if (offsets.size >= KEPT) offsets.clear();
    offsets.set(key, offset);
  }
  return new Date(at.getTime() + offset).toISOString().slice(0, 19).replace("T", " ");
}

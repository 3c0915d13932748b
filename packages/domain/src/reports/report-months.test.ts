import { describe, expect, test } from "vitest";
import { lastMonth, monthRange, monthName } from "./report-months.ts";

describe("monthly reports: the last complete month is the site's, not UTC's", () => {
  test.each([
    // In India the first day begins at 18:30 UTC of the day before.
    ["Asia/Kolkata", "2026-10-31T18:29:59Z", "2026-09-01", "2026-09-30T18:30:00Z"],
    ["Asia/Kolkata", "2026-10-31T18:30:00Z", "2026-10-01", "2026-10-31T18:30:00Z"],
    ["America/New_York", "2026-11-01T03:59:59Z", "2026-09-01", "2026-10-01T04:00:00Z"],
    ["America/New_York", "2026-11-01T04:00:00Z", "2026-10-01", "2026-11-01T04:00:00Z"],
    ["Pacific/Auckland", "2026-12-31T11:00:00Z", "2026-12-01", "2026-12-31T11:00:00Z"],
    ["Europe/Berlin", "2026-03-31T21:59:59Z", "2026-02-01", "2026-02-28T23:00:00Z"],
    ["Europe/Berlin", "2026-03-31T22:00:00Z", "2026-03-01", "2026-03-31T22:00:00Z"],
  ])("%s at %s", (timezone, now, firstDay, endedAt) => {
    expect(lastMonth(timezone, new Date(now))).toEqual({ firstDay, endedAt: new Date(endedAt) });
  });

  test.each([
    ["2026-02-01", "2026-02-28 23:59:59", "February 2026"],
    ["2028-02-01", "2028-02-29 23:59:59", "February 2028"],
    ["2026-04-01", "2026-04-30 23:59:59", "April 2026"],
    ["2026-12-01", "2026-12-31 23:59:59", "December 2026"],
  ])("the range of %s ends at %s", (firstDay, to, words) => {
    expect(monthRange(firstDay)).toEqual({ from: `${firstDay} 00:00:00`, to });
    expect(monthName(firstDay)).toBe(words);
  });
});

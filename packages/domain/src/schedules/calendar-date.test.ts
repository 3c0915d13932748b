import fc from "fast-check";
import { DateTime } from "luxon";
import { expect, inject, it, test } from "vitest";
import { addDays, daysBetween, isCalendarDate, startOfWeek } from "./calendar-date.ts";

const day = fc
  .integer({ min: 0, max: 80_000 })
  .map((days) => DateTime.utc(1900, 1, 1).plus({ days }).toFormat("yyyy-MM-dd"));

it("days and weeks are those of another library", () => {
  fc.assert(
    fc.property(day, fc.integer({ min: -4_000, max: 4_000 }), (date, days) => {
      const there = DateTime.fromISO(date, { zone: "utc" });
      expect(addDays(date, days)).toBe(there.plus({ days }).toISODate());
      expect(daysBetween(date, addDays(date, days))).toBe(days);
      expect(startOfWeek(date)).toBe(there.startOf("week").toISODate());
      expect(isCalendarDate(date)).toBe(true);
    }),
    { numRuns: 1_000 * inject("soak").factor },
  );
});

test.each([
  "2026-02-29",
  "2026-04-31",
  "2026-00-10",
  "2026-13-01",
  "2026-1-1",
  "26-01-01",
  "2026-01-01 ",
  "",
  "2026-01-00",
])("%j is no day of the calendar", (text) => {
  expect(isCalendarDate(text)).toBe(false);
});

import { localTimeSchema } from "@suncrew/contract/schedules/schedules.ts";
import fc from "fast-check";
import { DateTime } from "luxon";
import { expect, inject, it, test } from "vitest";
import { addDays, daysBetween, isCalendarDate, parseStartTime, startOfWeek, startTimeOf } from "./calendar-date.ts";

const day = fc
  .integer({ min: 0, max: 80_000 })
  .map((days) => DateTime.utc(1900, 1, 1).plus({ days }).toFormat("yyyy-MM-dd"));

it("days and weeks match those of another library", () => {
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
])("%j is not a date", (text) => {
  expect(isCalendarDate(text)).toBe(false);
});

test.each([
  ["2026-05-01 06:00:00", { date: "2026-05-01", time: "06:00:00" }],
  ["2028-02-29 23:59:59", { date: "2028-02-29", time: "23:59:59" }],
  ["2026-02-29 06:00:00", null],
  ["2026-05-01 24:00:00", null],
  ["2026-05-01 06:60:00", null],
  ["2026-05-01 06:00:60", null],
  ["2026-05-01 06:00", null],
  ["2026-05-01T06:00:00", null],
  ["2026-05-01 06:00:00Z", null],
  ["", null],
])("§4 Schedule: start_time %j is read as %o", (text, expected) => {
  expect(parseStartTime(text)).toEqual(expected);
});

it("§5 Schedule: the start time is built from a date and the chosen HH:MM", () => {
  expect(startTimeOf("2026-05-01", "06:05")).toBe("2026-05-01 06:05:00");
  expect(startTimeOf("2026-05-01", "06:05:07")).toBe("2026-05-01 06:05:07");
});

it("the wire accepts exactly the start times that can be parsed", () => {
  const part = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, "0"));
  fc.assert(
    fc.property(
      fc.integer({ min: 1900, max: 2200 }),
      fc.tuple(part(13), part(32), part(25), part(61), part(61)),
      (year, [month, day, hour, minute, second]) => {
        const text = `${year}-${month}-${day} ${hour}:${minute}:${second}`;
        expect(parseStartTime(text) !== null).toBe(localTimeSchema.safeParse(text).success);
      },
    ),
    { numRuns: 1_000 * inject("soak").factor },
  );
});

import { describe, expect, it, test } from "vitest";
import { instantOf, localTimeOf, siteToday, startOfDay } from "./site-time.ts";

test.each([
  ["Asia/Kolkata", "2026-05-01T18:30:00Z", "2026-05-02", "00:00:00"],
  ["Asia/Kolkata", "2026-05-01T18:29:59.999Z", "2026-05-01", "23:59:59"],
  ["Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25", "02:30:00"],
  ["Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25", "02:30:00"],
  ["Pacific/Chatham", "2026-01-01T00:00:00Z", "2026-01-01", "13:45:00"],
  ["America/St_Johns", "2026-01-01T00:00:00Z", "2025-12-31", "20:30:00"],
])("Time: in %s the clocks show at %s: %s %s", (timezone, instant, date, time) => {
  expect(localTimeOf(new Date(instant), timezone)).toEqual({ date, time });
  expect(siteToday(timezone, new Date(instant))).toBe(date);
});

describe("the first instant of a day", () => {
  test.each([
    ["Asia/Kolkata", "2026-05-02", "2026-05-01T18:30:00.000Z"],
    ["America/Sao_Paulo", "2017-10-15", "2017-10-15T03:00:00.000Z"],
    ["America/Havana", "2026-11-01", "2026-11-01T04:00:00.000Z"],
  ])("in %s, %s: %s", (timezone, date, expected) => {
    expect(startOfDay(date, timezone).toISOString()).toBe(expected);
  });
});

it("accepts a time from the dialog, without seconds", () => {
  expect(instantOf("2026-05-01", "06:00", "UTC")).toEqual(new Date("2026-05-01T06:00:00Z"));
});

test.each([
  ["2026-02-30", "06:00:00", "UTC"],
  ["2026-02-03", "24:00:00", "UTC"],
  ["2026-02-03", "06:00:00", "Nowhere/Land"],
])("throws a RangeError for %s %s in %s", (date, time, timezone) => {
  expect(() => instantOf(date, time, timezone)).toThrow(RangeError);
});

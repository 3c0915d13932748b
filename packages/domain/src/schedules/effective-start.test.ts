import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import { describe, expect, it, test } from "vitest";
import { effectiveStart } from "./next-run.ts";

// Friday, 12:00 in Berlin.
const now = new Date("2026-05-01T10:00:00Z");
const startOf = (startTime: string, frequency: Frequency, timezone = "Europe/Berlin", at = now) => {
  const start = effectiveStart({ startTime, frequency }, timezone, at);
  return start.kind === "start" ? [start.startTime, start.moved, start.firstRun.toISOString()] : start.kind;
};

describe("Time: a time already past today means the next one", () => {
  test.each<[Frequency, string, string, boolean, string]>([
    ["ONCE", "2026-05-01 12:00:01", "2026-05-01 12:00:01", false, "2026-05-01T10:00:01.000Z"],
    ["ONCE", "2026-05-01 12:00:00", "2026-05-02 12:00:00", true, "2026-05-02T10:00:00.000Z"],
    ["ONCE", "2026-05-01 06:00:00", "2026-05-02 06:00:00", true, "2026-05-02T04:00:00.000Z"],
    ["ONCE", "2026-05-02 06:00:00", "2026-05-02 06:00:00", false, "2026-05-02T04:00:00.000Z"],
    ["DAILY", "2026-05-01 13:00:00", "2026-05-01 13:00:00", false, "2026-05-01T11:00:00.000Z"],
    ["DAILY", "2026-05-01 06:00:00", "2026-05-01 06:00:00", true, "2026-05-02T04:00:00.000Z"],
    ["DAILY", "2026-04-01 06:00:00", "2026-04-01 06:00:00", true, "2026-05-02T04:00:00.000Z"],
    ["DAILY", "2026-05-02 06:00:00", "2026-05-02 06:00:00", false, "2026-05-02T04:00:00.000Z"],
    ["WEEKLY", "2026-05-01 06:00:00", "2026-05-01 06:00:00", true, "2026-05-08T04:00:00.000Z"],
    ["WEEKLY", "2026-04-29 06:00:00", "2026-04-29 06:00:00", false, "2026-05-06T04:00:00.000Z"],
    ["MONTHLY", "2026-05-01 06:00:00", "2026-05-01 06:00:00", true, "2026-06-01T04:00:00.000Z"],
    ["MONTHLY", "2026-01-31 06:00:00", "2026-01-31 06:00:00", false, "2026-05-31T04:00:00.000Z"],
  ])("%s at %s: stored %s, moved %s, first run %s", (frequency, asked, stored, moved, firstRun) => {
    expect(startOf(asked, frequency)).toEqual([stored, moved, firstRun]);
  });

  it("the last day of a month, standing in for a missing day, is today's too", () => {
    const lastOfApril = new Date("2026-04-30T10:00:00Z");
    expect(startOf("2026-01-31 06:00:00", "MONTHLY", "Europe/Berlin", lastOfApril)).toEqual([
      "2026-01-31 06:00:00",
      true,
      "2026-05-31T04:00:00.000Z",
    ]);
  });

  it("an hour that occurs twice has passed after its first time", () => {
    const secondTime = new Date("2026-10-25T01:10:00Z");
    expect(startOf("2026-10-25 02:30:00", "ONCE", "Europe/Berlin", secondTime)).toEqual([
      "2026-10-26 02:30:00",
      true,
      "2026-10-26T01:30:00.000Z",
    ]);
  });

  it("tomorrow's time has already passed if clocks went back across midnight, and the day after is taken", () => {
    // It is 23:01 on the 6th again, after a first minute of the 7th.
    const again = new Date("2010-11-07T02:31:00Z");
    expect(startOf("2010-11-06 00:00:00", "ONCE", "America/St_Johns", again)).toEqual([
      "2010-11-08 00:00:00",
      true,
      "2010-11-08T03:30:00.000Z",
    ]);
  });

  it("tomorrow may be in the next year", () => {
    const newYearsEve = new Date("2026-12-31T22:00:00Z");
    expect(startOf("2026-12-31 06:00:00", "ONCE", "UTC", newYearsEve)[0]).toBe("2027-01-01 06:00:00");
  });
});

describe("Time: 'today' is the site's today", () => {
  test.each([
    // It is the 2nd in Auckland while it is the 1st in Berlin and in UTC.
    ["Pacific/Auckland", "2026-05-01 23:00:00", "before-today"],
    ["Europe/Berlin", "2026-05-01 23:00:00", ["2026-05-01 23:00:00", false, "2026-05-01T21:00:00.000Z"]],
    ["Pacific/Auckland", "2026-05-02 09:00:00", ["2026-05-02 09:00:00", false, "2026-05-01T21:00:00.000Z"]],
  ])("ONCE in %s at %s: %j", (timezone, asked, expected) => {
    expect(startOf(asked, "ONCE", timezone, new Date("2026-05-01T14:00:00Z"))).toEqual(expected);
  });
});

it("Time: a ONCE before today is refused, a recurring schedule may start there", () => {
  expect(startOf("2026-04-30 23:59:59", "ONCE")).toBe("before-today");
  expect(startOf("2020-02-29 06:00:00", "DAILY")).toEqual(["2020-02-29 06:00:00", true, "2026-05-02T04:00:00.000Z"]);
});

test.each(["2026-02-30 06:00:00", "2026-05-01 6:00", "soon", ""])("%j is no time", (text) => {
  expect(startOf(text, "DAILY")).toBe("not-a-time");
});

import type { Frequency } from "@suncrew/contract/schedules/schedules.ts";
import { describe, expect, it, test } from "vitest";
import { nextRunAfter, nextRunsAfter, runsBetween } from "./next-run.ts";
import type { ScheduleTimes } from "./calendar-date.ts";

const once = (startTime: string): ScheduleTimes => ({ startTime, frequency: "ONCE" });
const asText = (dates: readonly (Date | null)[]) => dates.map((date) => date?.toISOString().replace(":00.000Z", "Z"));

describe("Time: a local time that a clock change skips runs at the first minute after the gap", () => {
  test.each([
    ["Europe/Berlin", "2026-03-29 02:30:00", "2026-03-29T01:00Z"],
    ["Europe/Berlin", "2026-03-29 02:00:00", "2026-03-29T01:00Z"],
    ["Europe/Berlin", "2026-03-29 02:59:59", "2026-03-29T01:00Z"],
    ["Europe/Berlin", "2026-03-29 03:00:00", "2026-03-29T01:00Z"],
    ["Europe/Berlin", "2026-03-29 01:59:00", "2026-03-29T00:59Z"],
    ["America/New_York", "2026-03-08 02:15:00", "2026-03-08T07:00Z"],
    ["Australia/Lord_Howe (30 minutes)", "2026-10-04 02:10:00", "2026-10-03T15:30Z"],
    ["America/Sao_Paulo (at midnight)", "2017-10-15 00:30:00", "2017-10-15T03:00Z"],
    ["America/Nuuk (over midnight)", "2026-03-28 23:30:00", "2026-03-29T01:00Z"],
    ["Pacific/Apia (a whole day)", "2011-12-30 08:00:00", "2011-12-30T10:00Z"],
  ])("%s, %s: %s", (place, startTime, expected) => {
    const timezone = place.split(" ")[0] ?? "";
    expect(asText([nextRunAfter(once(startTime), timezone, new Date(0))])).toEqual([expected]);
  });
});

describe("Time: a local time that occurs twice runs at its first occurrence", () => {
  test.each([
    ["Europe/Berlin", "2026-10-25 02:30:00", "2026-10-25T00:30Z"],
    ["Europe/Berlin", "2026-10-25 02:00:00", "2026-10-25T00:00Z"],
    ["Europe/Berlin", "2026-10-25 03:00:00", "2026-10-25T02:00Z"],
    ["America/New_York", "2026-11-01 01:30:00", "2026-11-01T05:30Z"],
    ["Australia/Lord_Howe (30 minutes)", "2026-04-05 01:45:00", "2026-04-04T14:45Z"],
    ["America/St_Johns (23:01 to 00:01 twice)", "2010-11-06 23:30:00", "2010-11-07T02:00Z"],
  ])("%s, %s: %s", (place, startTime, expected) => {
    const timezone = place.split(" ")[0] ?? "";
    expect(asText([nextRunAfter(once(startTime), timezone, new Date(0))])).toEqual([expected]);
  });

  it("and not at the second as well", () => {
    const daily: ScheduleTimes = { startTime: "2026-10-20 02:30:00", frequency: "DAILY" };
    const runs = nextRunsAfter(daily, "Europe/Berlin", new Date("2026-10-25T00:29:59Z"), 2);
    expect(asText(runs)).toEqual(["2026-10-25T00:30Z", "2026-10-26T01:30Z"]);
  });
});

describe("§9 Schedule: frequencies", () => {
  test.each<[Frequency, string, string, string[]]>([
    ["ONCE", "2026-05-01 06:00:00", "2026-04-01T00:00:00Z", ["2026-05-01T00:30Z"]],
    ["ONCE", "2026-05-01 06:00:00", "2026-05-01T00:30:00Z", []],
    ["DAILY", "2026-05-01 06:00:00", "2026-04-01T00:00:00Z", ["2026-05-01T00:30Z", "2026-05-02T00:30Z"]],
    ["DAILY", "2020-05-01 06:00:00", "2026-05-01T00:30:00Z", ["2026-05-02T00:30Z", "2026-05-03T00:30Z"]],
    // A Friday.
    ["WEEKLY", "2026-05-01 06:00:00", "2026-05-01T00:30:00Z", ["2026-05-08T00:30Z", "2026-05-15T00:30Z"]],
    ["WEEKLY", "2020-05-01 06:00:00", "2026-05-03T00:00:00Z", ["2026-05-08T00:30Z", "2026-05-15T00:30Z"]],
    ["MONTHLY", "2026-05-15 06:00:00", "2026-05-15T00:30:00Z", ["2026-06-15T00:30Z", "2026-07-15T00:30Z"]],
  ])("%s from %s in India, after %s", (frequency, startTime, after, expected) => {
    const runs = nextRunsAfter({ startTime, frequency }, "Asia/Kolkata", new Date(after), 2);
    expect(asText(runs)).toEqual(expected);
  });

  it("MONTHLY on the 31st runs on the last day of shorter months, and on the 31st again", () => {
    const monthly: ScheduleTimes = { startTime: "2027-12-31 12:00:00", frequency: "MONTHLY" };
    const runs = nextRunsAfter(monthly, "UTC", new Date(0), 6);
    expect(asText(runs).map((text) => text?.slice(0, 10))).toEqual([
      "2027-12-31",
      "2028-01-31",
      "2028-02-29",
      "2028-03-31",
      "2028-04-30",
      "2028-05-31",
    ]);
  });

  it("MONTHLY from a 29 February stays on the 29th, and uses the 28th in Februaries that end there", () => {
    const monthly: ScheduleTimes = { startTime: "2028-02-29 12:00:00", frequency: "MONTHLY" };
    const runs = nextRunsAfter(monthly, "UTC", new Date("2029-01-01T00:00:00Z"), 3);
    expect(asText(runs)).toEqual(["2029-01-29T12:00Z", "2029-02-28T12:00Z", "2029-03-29T12:00Z"]);
  });

  it("respects seconds", () => {
    const daily: ScheduleTimes = { startTime: "2026-05-01 06:00:07", frequency: "DAILY" };
    expect(nextRunAfter(daily, "UTC", new Date("2026-05-01T06:00:06.999Z"))).toEqual(new Date("2026-05-01T06:00:07Z"));
    expect(nextRunAfter(daily, "UTC", new Date("2026-05-01T06:00:07Z"))).toEqual(new Date("2026-05-02T06:00:07Z"));
  });

  it("is computed instead of counted from a start long ago", () => {
    const daily: ScheduleTimes = { startTime: "0001-01-01 06:00:00", frequency: "DAILY" };
    expect(nextRunAfter(daily, "UTC", new Date("9999-12-31T06:00:00Z"))).toEqual(new Date("+010000-01-01T06:00:00Z"));
  });

  test.each([
    ["2026-02-30 06:00:00", "UTC"],
    ["at six", "UTC"],
    ["2026-02-03 06:00:00", "Mars/Olympus"],
  ])("answers %s in %s with a RangeError", (startTime, timezone) => {
    expect(() => nextRunAfter(once(startTime), timezone, new Date(0))).toThrow(RangeError);
  });
});

describe("runs between two instants", () => {
  const daily: ScheduleTimes = { startTime: "2026-05-01 06:00:00", frequency: "DAILY" };

  it("include the first instant and exclude the last", () => {
    const runs = runsBetween(daily, "UTC", new Date("2026-05-03T06:00:00Z"), new Date("2026-05-05T06:00:00Z"));
    expect(asText(runs)).toEqual(["2026-05-03T06:00Z", "2026-05-04T06:00Z"]);
  });

  it("are none if nothing is due", () => {
    expect(runsBetween(daily, "UTC", new Date("2026-04-01T00:00:00Z"), new Date("2026-05-01T06:00:00Z"))).toEqual([]);
  });
});

it("Time: every run missed in a long downtime is found, one after the other", () => {
  const daily: ScheduleTimes = { startTime: "2026-03-01 02:30:00", frequency: "DAILY" };
  const now = new Date("2026-04-03T12:00:00Z");
  const missed: string[] = [];
  let due = nextRunAfter(daily, "Europe/Berlin", new Date("2026-03-27T00:00:00Z"));
  while (due !== null && due <= now) {
    missed.push(due.toISOString().slice(0, 16));
    due = nextRunAfter(daily, "Europe/Berlin", due);
  }
  expect(missed).toEqual([
    "2026-03-27T01:30",
    "2026-03-28T01:30",
    "2026-03-29T01:00",
    "2026-03-30T00:30",
    "2026-03-31T00:30",
    "2026-04-01T00:30",
    "2026-04-02T00:30",
    "2026-04-03T00:30",
  ]);
});

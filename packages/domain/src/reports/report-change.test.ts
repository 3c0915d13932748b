import { describe, expect, test } from "vitest";
import { changeOf, rangeBefore } from "./report-change.ts";

describe("decisions, change in a report: what a range is compared with", () => {
  test.each([
    [
      "a month with the month before",
      "2026-03-01 00:00:00",
      "2026-03-31 23:59:59",
      "2026-02-01 00:00:00",
      "2026-02-28 23:59:59",
      true,
    ],
    [
      "January with December",
      "2026-01-01 00:00:00",
      "2026-01-31 23:59:59",
      "2025-12-01 00:00:00",
      "2025-12-31 23:59:59",
      true,
    ],
    [
      "a day with the day before",
      "2026-03-01 00:00:00",
      "2026-03-01 23:59:59",
      "2026-02-28 00:00:00",
      "2026-02-28 23:59:59",
      false,
    ],
    [
      "hours of some days with the same hours",
      "2026-03-10 06:00:00",
      "2026-03-11 18:29:59",
      "2026-03-08 06:00:00",
      "2026-03-09 18:29:59",
      false,
    ],
    [
      "92 days with as many",
      "2026-04-01 00:00:00",
      "2026-07-01 23:59:59",
      "2025-12-30 00:00:00",
      "2026-03-31 23:59:59",
      false,
    ],
  ])("%s", (_what, from, to, beforeFrom, beforeTo, isMonth) => {
    expect(rangeBefore(from, to)).toEqual({ from: beforeFrom, to: beforeTo, isMonth });
  });

  test("more than 92 days with nothing", () => {
    expect(rangeBefore("2026-04-01 00:00:00", "2026-07-02 23:59:59")).toBeNull();
  });
});

describe("decisions, change in a report: by how much a figure changed", () => {
  const month = (value: number | null, days = 31) => ({ value, days, ofDays: 31 });

  test("it is the difference of what is printed", () => {
    // 91.25 and 90.34 are printed as 91.3 and 90.3.
    expect(changeOf(month(91.25), month(90.34), "percent")).toEqual({ kind: "CHANGE", by: 1 });
    expect(changeOf(month(120.4), month(119.6), "minutes")).toEqual({ kind: "CHANGE", by: 0 });
  });

  test("a total over 9 of 31 days is not compared with one over all; a share is", () => {
    expect(changeOf(month(40, 9), month(130), "count")).toEqual({ kind: "UNEVEN" });
    expect(changeOf(month(40, 9), month(50), "percent")).toEqual({ kind: "CHANGE", by: -10 });
    expect(changeOf(month(40), { value: 30, days: 28, ofDays: 30 }, "count")).toEqual({ kind: "CHANGE", by: 10 });
  });

  test("without data there is no change", () => {
    expect(changeOf(month(null), month(3), "count")).toEqual({ kind: "NOT_KNOWN" });
    expect(changeOf(month(3), month(0, 0), "count")).toEqual({ kind: "NOT_KNOWN" });
  });
});

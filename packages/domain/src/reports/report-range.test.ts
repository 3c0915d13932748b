import { expect, test } from "vitest";
import { localTimeOf } from "../schedules/site-time.ts";
import { localTextOf, reportSpanOf, siteDaysOf, utcOffsetOf } from "./report-range.ts";
import { maintenanceDueDate, maintenanceDueDates } from "./maintenance-due.ts";

const spanOf = (from: string, to: string, zone: string) => {
  const span = reportSpanOf(from, to, zone, 400);
  if ("problem" in span) throw new Error(span.problem);
  return span;
};
const hoursOf = (from: string, to: string, zone: string) => {
  const span = spanOf(from, to, zone);
  return (span.to.getTime() - span.from.getTime()) / 3_600_000;
};

test("§7 reportpdf: from and to are local time at the site, and the last second is part of the range", () => {
  expect(spanOf("2026-06-01 00:00:00", "2026-06-30 23:59:59", "Asia/Kolkata")).toEqual({
    from: new Date("2026-05-31T18:30:00Z"),
    to: new Date("2026-06-30T18:30:00Z"),
  });
  expect(hoursOf("2026-03-29 00:00:00", "2026-03-29 23:59:59", "Europe/Berlin")).toBe(23);
  expect(hoursOf("2026-10-25 00:00:00", "2026-10-25 23:59:59", "Europe/Berlin")).toBe(25);
  // Clocks go back from midnight to 23:00 and forward from midnight to 01:00.
  expect(hoursOf("2026-10-31 00:00:00", "2026-10-31 23:59:59", "America/Havana")).toBe(24);
  expect(hoursOf("2026-11-01 00:00:00", "2026-11-01 23:59:59", "America/Havana")).toBe(25);
  expect(hoursOf("2026-03-08 00:00:00", "2026-03-08 23:59:59", "America/Havana")).toBe(23);
});

test("§7 reportpdf: skipped times are moved after the gap, repeated ones are the first", () => {
  expect(spanOf("2026-03-29 02:30:00", "2026-03-29 03:29:59", "Europe/Berlin")).toEqual({
    from: new Date("2026-03-29T01:00:00Z"),
    to: new Date("2026-03-29T01:30:00Z"),
  });
  expect(spanOf("2026-10-25 02:00:00", "2026-10-25 02:29:59", "Europe/Berlin")).toEqual({
    from: new Date("2026-10-25T00:00:00Z"),
    to: new Date("2026-10-25T00:30:00Z"),
  });
});

test("§7 reportpdf: a start after the end, and more days than a report may have, name their field", () => {
  expect(reportSpanOf("2026-06-02 00:00:00", "2026-06-01 23:59:59", "UTC", 400)).toEqual({
    field: "from",
    problem: "from must not be after to",
  });
  expect(reportSpanOf("2025-01-01 00:00:00", "2026-02-05 00:00:00", "UTC", 400)).toEqual({
    field: "to",
    problem: "A report covers at most 400 days; this range has 401.",
  });
  expect(reportSpanOf("2025-01-02 00:00:00", "2026-02-05 00:00:00", "UTC", 400)).toHaveProperty("from");
});

test("decisions, report figures: days are the site's, whole except at the ends, without gaps", () => {
  const days = siteDaysOf(spanOf("2026-03-28 12:00:00", "2026-03-30 05:59:59", "Europe/Berlin"), "Europe/Berlin");
  expect(days.map(({ date, fromMs, toMs }) => [date, (toMs - fromMs) / 3_600_000])).toEqual([
    ["2026-03-28", 12],
    ["2026-03-29", 23],
    ["2026-03-30", 6],
  ]);
  expect(days.slice(1).map(({ fromMs }) => fromMs)).toEqual(days.slice(0, -1).map(({ toMs }) => toMs));
  // Samoa skipped 30 December 2011.
  const apia = siteDaysOf(spanOf("2011-12-29 00:00:00", "2011-12-31 23:59:59", "Pacific/Apia"), "Pacific/Apia");
  expect(apia.map(({ date }) => date)).toEqual(["2011-12-29", "2011-12-31"]);
});

test("decisions, report figures: offsets are written as on clocks", () => {
  const offsetOf = (zone: string, at = "2026-01-15T12:00:00.500Z") => utcOffsetOf(new Date(at), zone);
  expect([offsetOf("Asia/Kolkata"), offsetOf("UTC"), offsetOf("America/St_Johns")]).toEqual([
    "UTC+05:30",
    "UTC+00:00",
    "UTC-03:30",
  ]);
  expect(offsetOf("Europe/Berlin", "2026-07-01T00:00:00Z")).toBe("UTC+02:00");
});

test.each(["Asia/Kolkata", "Europe/Berlin", "Australia/Lord_Howe", "America/Havana", "America/St_Johns"])(
  "decisions, report figures: the fast local text equals the calendar's, %s",
  (zone) => {
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 12_345_678) {
      const { date, time } = localTimeOf(new Date(at), zone);
      expect(localTextOf(new Date(at), zone)).toBe(`${date} ${time}`);
    }
  },
);

test("decisions, report figures: maintenance is due one interval after the last release, or after the installation", () => {
  const past = { installed: "2026-01-01", released: ["2026-03-01", "2026-05-20"] };
  expect(maintenanceDueDate(past, 30)).toBe("2026-06-19");
  expect(maintenanceDueDate({ installed: "2026-01-01", released: [] }, 180)).toBe("2026-06-30");
  // A machine that replaced another.
  expect(maintenanceDueDate({ installed: "2026-06-01", released: ["2026-05-20"] }, 30)).toBe("2026-07-01");
  const all = { from: "2026-01-01", to: "2026-12-31" };
  expect(maintenanceDueDates(past, 30, all)).toEqual(["2026-01-31", "2026-03-31", "2026-06-19"]);
  // It was done on the day it was due, or before.
  expect(maintenanceDueDates(past, 59, all)).toEqual(["2026-03-01", "2026-04-29", "2026-07-18"]);
  expect(maintenanceDueDates(past, 60, all)).toEqual(["2026-04-30", "2026-07-19"]);
  expect(maintenanceDueDates(past, 30, { from: "2026-03-31", to: "2026-03-31" })).toEqual(["2026-03-31"]);
});

import type { Schedule } from "@suncrew/contract/schedules/schedules.ts";
import { describe, expect, test } from "vitest";
import { clientScheduleOf } from "./client-schedule.ts";
import { formStartTime, problemOf, scheduleBodyOf, scheduleFormOf } from "./schedule-form.ts";
import { lastDayNote, timesText } from "./schedule-looks.ts";

const ids = { siteId: 3, groupId: 7 };

function stored(change: Partial<Schedule> = {}): Schedule {
  return {
    id: 1,
    group_id: 7,
    site_id: 3,
    action: "START",
    start_time: "2026-11-18 06:30:20",
    duration_minutes: 45,
    frequency: "DAILY",
    status: "ACTIVE",
    next_run_at: null,
    waiting: null,
    skip_on_rain: true,
    least_days: null,
    most_days: null,
    decides_at: null,
    decision: null,
    version: 1,
    ...change,
  };
}

describe("§3 Robot group: the schedule's client shape", () => {
  test("keeps customDays 1 and days [], with the defaults of §9 if there is no schedule", () => {
    const none = { enabled: false, startTime: "", durationMinutes: 30, frequency: "ONCE", customDays: 1, days: [] };
    expect(clientScheduleOf(null)).toEqual(none);
    expect(clientScheduleOf(stored())).toEqual({
      ...none,
      enabled: true,
      startTime: "06:30",
      durationMinutes: 45,
      frequency: "DAILY",
    });
  });
});

describe("§5 Schedule: what the dialog starts with and sends", () => {
  test("a new one starts enabled, today, without a time", () => {
    expect(scheduleFormOf(null, "2026-11-21")).toMatchObject({
      enabled: true,
      date: "2026-11-21",
      startTime: "",
      durationText: "30",
      frequency: "ONCE",
      skipOnRain: false,
    });
  });

  test.each([
    [stored(), "2026-11-18"],
    [stored({ frequency: "ONCE" }), "2026-11-21"],
    [stored({ frequency: "ONCE", start_time: "2026-11-25 06:30:00" }), "2026-11-25"],
  ])("Time: editing keeps the stored date, or today if a ONCE lies past", (schedule, date) => {
    expect(scheduleFormOf(schedule, "2026-11-21").date).toBe(date);
  });

  test("an unchanged time keeps its seconds; customDays and days are not sent", () => {
    const form = scheduleFormOf(stored(), "2026-11-21");
    const body = {
      site_id: 3,
      group_id: 7,
      action: "START",
      start_time: "2026-11-18 06:30:20",
      duration_minutes: 45,
      frequency: "DAILY",
      status: "ACTIVE",
      skip_on_rain: true,
    };
    expect(scheduleBodyOf(form, stored(), ids)).toEqual(body);
    const changed = { ...form, startTime: "07:00", enabled: false, durationText: "many" };
    expect(scheduleBodyOf(changed, stored(), ids)).toEqual({
      ...body,
      start_time: "2026-11-18 07:00:00",
      duration_minutes: 1,
      status: "INACTIVE",
    });
  });

  test("disabled without a time it keeps the stored one, or midnight", () => {
    const form = { ...scheduleFormOf(null, "2026-11-21"), enabled: false };
    expect(formStartTime(form, null)).toBeNull();
    expect(scheduleBodyOf(form, null, ids).start_time).toBe("2026-11-21 00:00:00");
    expect(scheduleBodyOf(form, stored(), ids).start_time).toBe("2026-11-21 06:30:20");
  });
});

describe("§5 Schedule: the first problem is reported", () => {
  const now = new Date("2026-11-21T12:00:00.000Z");
  const form = { ...scheduleFormOf(null, "2026-11-21"), startTime: "06:30" };
  test.each([
    [{ durationText: "0" }, { field: "durationText", title: "Invalid Duration" }],
    [{ startTime: "" }, { field: "startTime", title: "Missing Start Time" }],
    [{ startTime: "", enabled: false }, null],
    [{ date: "" }, { field: "date", title: "Missing Date" }],
    [{ date: "2026-11-20" }, { field: "date", title: "Date Is Past" }],
    [{ date: "2026-11-20", frequency: "DAILY" }, null],
    [
      { frequency: "WHEN_WORTH_IT", leastDaysText: "0" },
      { field: "leastDaysText", title: "Invalid Days" },
    ],
    [
      { frequency: "WHEN_WORTH_IT", leastDaysText: "7", mostDaysText: "6" },
      { field: "mostDaysText", title: "Invalid Days" },
    ],
    [{ frequency: "WHEN_WORTH_IT" }, null],
    [{}, null],
  ] as const)("%j: %j", (change, problem) => {
    const changed = { ...form, ...change };
    const found = problemOf(changed, "Asia/Kolkata", formStartTime(changed, null), now);
    expect(found && { field: found.field, title: found.title }).toEqual(problem);
  });
});

describe("A schedule in words", () => {
  test.each([
    ["ONCE", "Once, Wed 18 Nov 2026 at 06:30"],
    ["DAILY", "Daily at 06:30"],
    ["WEEKLY", "Weekly on Wednesday at 06:30"],
    ["MONTHLY", "Monthly on day 18 at 06:30"],
  ] as const)("%s is %s", (frequency, text) => {
    expect(timesText(stored({ frequency }))).toBe(text);
  });

  test("Time: MONTHLY on day 29 to 31 says what happens in shorter months", () => {
    expect(lastDayNote({ frequency: "MONTHLY", date: "2026-01-28" })).toBeNull();
    expect(lastDayNote({ frequency: "MONTHLY", date: "2026-01-29" })).toContain("a day 29");
    expect(lastDayNote({ frequency: "WEEKLY", date: "2026-01-31" })).toBeNull();
  });
});

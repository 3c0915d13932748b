import { describe, expect, it, test } from "vitest";
import {
  parseDurationInput,
  type ScheduleEntries,
  type ScheduleProblem,
  scheduleProblemText,
  validateSchedule,
} from "./schedule-validation.ts";

const good: ScheduleEntries = { enabled: true, startTime: "06:00", durationMinutes: 30 };

describe("§5 Schedule", () => {
  test.each<[string, Partial<ScheduleEntries>, ScheduleProblem | null]>([
    ["the defaults with a time", {}, null],
    ["1 minute", { durationMinutes: 1 }, null],
    ["480 minutes", { durationMinutes: 480 }, null],
    ["0 minutes", { durationMinutes: 0 }, "invalid-duration"],
    ["481 minutes", { durationMinutes: 481 }, "invalid-duration"],
    ["-5 minutes", { durationMinutes: -5 }, "invalid-duration"],
    ["12.5 minutes", { durationMinutes: 12.5 }, "invalid-duration"],
    ["no number of minutes", { durationMinutes: Number.NaN }, "invalid-duration"],
    ["no time", { startTime: "" }, "missing-start-time"],
    ["no time at all", { startTime: null }, "missing-start-time"],
    ["no time, switched off", { enabled: false, startTime: null }, null],
    ["a wrong duration, switched off", { enabled: false, durationMinutes: 0 }, "invalid-duration"],
    ["both problems: the duration first", { startTime: "", durationMinutes: 0 }, "invalid-duration"],
  ])("%s: %3$s", (_words, change, problem) => {
    expect(validateSchedule({ ...good, ...change })).toBe(problem);
  });

  it("reports problems in the specification's words", () => {
    expect(scheduleProblemText).toEqual({
      "invalid-duration": { title: "Invalid Duration", message: "Duration must be between 1 and 480 minutes." },
      "missing-start-time": {
        title: "Missing Start Time",
        message: "Please set a start time for the schedule.",
      },
    });
  });

  test.each([
    ["30", 30],
    [" 45 ", 45],
    ["480", 480],
    ["", 1],
    ["abc", 1],
    ["30 minutes", 1],
    ["-", 1],
    ["Infinity", 1],
    ["0x10", 1],
    ["0", 0],
    ["-5", -5],
    ["481", 481],
    ["12.5", 12.5],
  ])("non-numeric input falls back to 1: %j is %d", (text, expected) => {
    expect(parseDurationInput(text)).toBe(expected);
  });
});

import type { CalendarEntry, RunCounts } from "@suncrew/contract/runs/runs.ts";
import { describe, expect, test } from "vitest";
import { entryStateOf, foldDay } from "./calendar-entry.ts";

const NONE: RunCounts = { planned: 0, running: 0, done: 0, stopped: 0, cut_short: 0, failed: 0, skipped: 0, missed: 0 };

function entry(key: string, state: CalendarEntry["state"], counts: Partial<RunCounts> = {}): CalendarEntry {
  return {
    key,
    state,
    action_type: "SCHEDULED",
    group_id: 1,
    title: key,
    begins_at: "2026-11-21T06:00:00.000Z",
    ends_at: null,
    local_time: "11:30",
    robots: 2,
    counts: { ...NONE, ...counts },
    reasons: [],
    by_need: null,
    sample: false,
  };
}

describe("Cleaning runs: a calendar entry's one-word state", () => {
  test.each([
    ["PLANNED", { planned: 2 }, "planned"],
    ["RUNNING", { running: 1, done: 1 }, "running"],
    ["OVER", { done: 2 }, "done"],
    ["OVER", { done: 1, skipped: 1 }, "mixed"],
    ["OVER", { skipped: 2 }, "skipped"],
    ["OVER", { missed: 2 }, "missed"],
    ["OVER", { cut_short: 1 }, "cut_short"],
    ["OVER", { stopped: 2 }, "stopped"],
    ["OVER", { failed: 1, missed: 1 }, "mixed"],
  ] as const)("%s with %j is %s", (state, counts, expected) => {
    expect(entryStateOf(entry("one", state, counts))).toBe(expected);
  });
});

describe("Cleaning runs: a full day folds what is done first", () => {
  const day = [
    entry("a", "OVER", { done: 2 }),
    entry("b", "OVER", { missed: 2 }),
    entry("c", "OVER", { done: 2 }),
    entry("d", "RUNNING", { running: 2 }),
    entry("e", "PLANNED", { planned: 2 }),
  ];

  test("runs in progress, problems and upcoming runs stay, in the order of the day", () => {
    expect(foldDay(day, 3).map(({ key }) => key)).toEqual(["b", "d", "e"]);
    expect(foldDay(day, 4).map(({ key }) => key)).toEqual(["a", "b", "d", "e"]);
  });

  test("a day that fits is left unchanged", () => {
    expect(foldDay(day, 5)).toBe(day);
  });
});

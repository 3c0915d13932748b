import type { RunCounts } from "@suncrew/contract/runs/runs.ts";
import { describe, expect, test } from "vitest";
import { countsText, elapsedText, todayTexts, weekText } from "./runs-looks.ts";

const counts = { planned: 2, running: 1, done: 5, stopped: 0, cut_short: 0, failed: 0, skipped: 1, missed: 0 };

const today = (of: RunCounts) =>
  todayTexts(of)
    .map(({ text }) => text)
    .join(", ");

describe("Cleaning runs in words", () => {
  test("today's figures always include the five, the two bad outcomes only if there are any", () => {
    expect(today(counts)).toBe("5 done, 1 running, 2 planned, 1 skipped, 0 missed");
    expect(today({ ...counts, cut_short: 2, failed: 1 })).toBe(
      "5 done, 1 running, 2 planned, 1 skipped, 0 missed, 2 cut short, 1 failed",
    );
  });

  test("an entry lists only the counts that are not zero", () => {
    expect(countsText({ ...counts, running: 0, planned: 0 })).toBe("5 done, 1 skipped");
  });

  test.each([
    ["2026-11-21T06:00:00.000Z", "2026-11-21T06:00:40.000Z", "40 s"],
    ["2026-11-21T06:00:00.000Z", "2026-11-21T06:28:10.000Z", "28 min"],
    ["2026-11-21T06:00:00.000Z", "2026-11-21T08:00:00.000Z", "2 h"],
    ["2026-11-21T06:00:00.000Z", "2026-11-21T07:05:00.000Z", "1 h 5 min"],
  ])("from %s to %s took %s", (from, to, text) => {
    expect(elapsedText(from, to)).toBe(text);
  });

  test.each([
    ["2026-11-16", "2026-11-22", "16 to 22 Nov 2026"],
    ["2026-11-30", "2026-12-06", "30 Nov to 6 Dec 2026"],
    ["2026-12-28", "2027-01-03", "28 Dec 2026 to 3 Jan 2027"],
  ])("the week from %s to %s is %s", (first, last, text) => {
    expect(weekText(first, last)).toBe(text);
  });
});

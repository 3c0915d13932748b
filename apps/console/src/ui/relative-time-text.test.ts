import { expect, test } from "vitest";
import { relativeTimeText } from "./relative-time-text.ts";

const now = new Date("2026-03-12T10:00:00Z");
const secondsBefore = (seconds: number) => new Date(now.getTime() - seconds * 1000);

test.each([
  [0, "just now"],
  [4, "just now"],
  [-4, "just now"],
  [5, "5 s ago"],
  [59, "59 s ago"],
  [60, "1 min ago"],
  [200, "3 min ago"],
  [3_599, "59 min ago"],
  [3_600, "1 h ago"],
  [86_399, "23 h ago"],
  [86_400, "1 d ago"],
  [29 * 86_400, "29 d ago"],
  [-10_800, "in 3 h"],
  [-40 * 86_400, "in 40 d"],
])("%d s before now is %s", (seconds, text) => {
  expect(relativeTimeText(secondsBefore(seconds), now)).toBe(text);
});

test("a month ago or more is a date", () => {
  expect(relativeTimeText(secondsBefore(40 * 86_400), now)).toBe("31 Jan 2026");
});

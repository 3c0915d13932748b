import { expect, it, test } from "vitest";
import { dueDecision } from "./due-decision.ts";

const dueAt = new Date("2026-03-01T06:00:00Z");
const after = (ms: number) => new Date(dueAt.getTime() + ms);

test.each([
  ["in time", 30, 0, "start"],
  ["a second later", 30, 1_000, "start"],
  ["9:59.999 late", 30, 599_999, "start"],
  ["10 minutes late", 30, 600_000, "too-late"],
  ["a day late", 480, 86_400_000, "too-late"],
  ["4:59.999 late, for 5 minutes", 5, 299_999, "start"],
  ["5 minutes late, for 5 minutes", 5, 300_000, "end-past"],
  ["9:59 late, for 1 minute", 1, 599_000, "end-past"],
  ["10 minutes late, for 10 minutes", 10, 600_000, "too-late"],
] as const)("Time: a run met %s (%d min) counts as %4$s", (_words, minutes, lateMs, expected) => {
  const decision = dueDecision(dueAt, minutes, after(lateMs));
  expect(decision.kind === "start" ? "start" : decision.reason).toBe(expected);
});

it("Time: a run that starts late still ends on time", () => {
  expect(dueDecision(dueAt, 30, after(420_000))).toEqual({
    kind: "start",
    stopDueAt: new Date("2026-03-01T06:30:00Z"),
  });
});

it("is not asked for a run that is not due", () => {
  expect(() => dueDecision(dueAt, 30, after(-1))).toThrow(RangeError);
  expect(() => dueDecision(dueAt, 30, new Date(Number.NaN))).toThrow(RangeError);
});

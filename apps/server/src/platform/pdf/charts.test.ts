import { expect, test } from "vitest";
import { labelStep, percentScale, scaleUpTo } from "./charts.ts";

test.each([
  [0, [0, 1]],
  [3, [0, 1, 2, 3]],
  [412, [0, 200, 400, 600]],
  [1_400, [0, 500, 1_000, 1_500]],
  [20_000, [0, 5_000, 10_000, 15_000, 20_000]],
])("§2 Site Reports: an axis for %i has round ticks %j", (most, ticks) => {
  expect(scaleUpTo(most)).toEqual({ bottom: 0, top: ticks.at(-1), ticks });
});

test("§2 Site Reports: labels under a chart have enough room", () => {
  expect(labelStep(7, 40, 400)).toBe(1);
  expect(labelStep(31, 36, 440)).toBe(3);
});

test.each([
  [97, [80, 85, 90, 95, 100]],
  [79.9, [50, 60, 70, 80, 90, 100]],
  [3, [0, 25, 50, 75, 100]],
])("§2 Site Reports: an axis for percentages from %d on has the ticks %j", (least, ticks) => {
  expect(percentScale(least)).toEqual({ bottom: ticks[0], top: 100, ticks });
});

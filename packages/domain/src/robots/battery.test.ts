import { expect, test } from "vitest";
import { batteryLevelOf } from "./battery.ts";

test.each([
  [100, "good"],
  [50.5, "good"],
  [50, "fair"],
  [20.5, "fair"],
  [20, "poor"],
  [0, "poor"],
])("§9 Battery colour: %d percent is %s", (percent, level) => {
  expect(batteryLevelOf(percent)).toBe(level);
});

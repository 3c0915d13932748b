import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import { expect, test } from "vitest";
import { passesFilter, robotFilterOf, type RobotFilter } from "./robot-filter.ts";

const statuses: readonly RobotStatus[] = ["normal", "idle", "warning", "offline", "standby", "critical"];

test.each<[RobotFilter, readonly RobotStatus[]]>([
  ["all", statuses],
  ["normal", ["normal"]],
  ["warning", ["warning"]],
  ["fault", ["critical"]],
  ["offline", ["offline"]],
])("§2 Robots tab: the status filter %s shows %j", (filter, shown) => {
  expect(statuses.filter((status) => passesFilter(filter, status))).toEqual(shown);
});

test.each([
  [null, "all"],
  ["fault", "fault"],
  ["critical", "all"],
  ["nonsense", "all"],
])("the address's %j means %s", (text, filter) => {
  expect(robotFilterOf(text)).toBe(filter);
});

import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import type { RunOfToday } from "@suncrew/contract/runs/runs.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { robotLive } from "../robots/test/robot-rows.ts";
import { type FleetContext, findRobots, FleetRows, sortRobots } from "./fleet-rows.ts";
import { COLUMN_IDS, type FleetFilter, NO_FILTER } from "./fleet-url.ts";

const NOW = new Date("2026-06-15T06:00:00.000Z");
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString();
const context: FleetContext = {
  facts: new Map([
    [
      1,
      { robot_id: 1, robot_name: "Block A", motor_type: "BLDC", control_type: "PLC", installation_date: "2024-02-29" },
    ],
  ]),
  groupNames: new Map([[5, "East Row"]]),
  sites: new Map([
    [1, { id: 1, name: "Bhadla", state: "Rajasthan", maintenance_partner_id: 2, partner_name: "SunCare" }],
    [2, { id: 2, name: "Charanka", state: "Gujarat", maintenance_partner_id: 3, partner_name: "Helio" }],
  ]),
};
const seen = { online: true, last_updated_at: NOW.toISOString() };
const robots: readonly RobotLive[] = [
  robotLive({
    ...seen,
    robot_id: 1,
    site_id: 1,
    serial_number: "SCR-9",
    status: "idle",
    motion: "STOPPED",
    battery_level: 80,
    last_cleaned_at: daysAgo(1),
    group_id: 5,
    firmware_version: "2.4.1",
  }),
  robotLive({
    ...seen,
    robot_id: 2,
    site_id: 1,
    serial_number: "SCR-10",
    status: "warning",
    motion: "STOPPED",
    battery_level: 12,
    last_cleaned_at: daysAgo(8),
    group_id: null,
    firmware_version: "2.3.0",
  }),
  robotLive({
    ...seen,
    robot_id: 3,
    site_id: 2,
    serial_number: "SCR-100",
    status: "offline",
    motion: "STOPPED",
    operating_mode: "maintenance",
    battery_level: 40,
    last_cleaned_at: null,
    group_id: null,
    firmware_version: "2.10.0",
  }),
  robotLive({
    robot_id: 4,
    site_id: 2,
    serial_number: "SCR-101",
    status: "offline",
    online: false,
    motion: null,
    last_updated_at: null,
    battery_level: 100,
    last_cleaned_at: null,
    group_id: null,
    firmware_version: "2.4.1",
  }),
];
const rows = new FleetRows().of(robots, context);
const run = { robot_id: 2, reason: "Rain" } as RunOfToday;
const runs = new Map([[2, run]]);
const found = (filter: Partial<FleetFilter>) =>
  findRobots(rows, { ...NO_FILTER, ...filter }, runs, NOW).rows.map(({ id }) => id);

test.each<[string, Partial<FleetFilter>, number[]]>([
  ["nothing", {}, [1, 2, 3, 4]],
  ["words in any order and case", { search: "BHADLA 9" }, [1]],
  ["the name", { search: "block a" }, [1]],
  ["the group's name", { search: "east" }, [1]],
  ["the partner's name", { search: "helio" }, [3, 4]],
  ["a figure", { figure: "needsAttention" }, [2]],
  ["maintenance, which is not offline", { figure: "maintenance" }, [3]],
  ["a site", { siteId: 2 }, [3, 4]],
  ["a state", { state: "Rajasthan" }, [1, 2]],
  ["a partner", { partnerId: 2 }, [1, 2]],
  ["a group", { groupId: 5 }, [1]],
  ["the battery, which a robot without a report has none of", { batteryBelow: 100 }, [1, 2, 3]],
  ["a low battery", { batteryBelow: 20 }, [2]],
  ["the whole version of the firmware", { firmware: "2.4.1" }, [1, 4]],
  ["no cleaning for days, or ever", { cleaned: "7" }, [2, 3, 4]],
  ["never cleaned", { cleaned: "never" }, [3, 4]],
  ["a run of today", { today: "skipped" }, [2]],
  ["two filters at once", { siteId: 1, firmware: "2.4.1" }, [1]],
])("Robots page: filtered by %s", (_, filter, ids) => {
  expect(found(filter)).toEqual(ids);
});

test("Robots page: each figure's count is what it would show, whichever is chosen", () => {
  const counted = { mayBeMoving: 0, cleaning: 0, idle: 1, needsAttention: 1, offline: 1, maintenance: 1 };
  for (const figure of [null, "idle"] as const) {
    expect(findRobots(rows, { ...NO_FILTER, figure }, runs, NOW).byFigure).toEqual(counted);
  }
});

test.each([
  ["serial", false, [1, 2, 3, 4]],
  ["serial", true, [4, 3, 2, 1]],
  ["battery", false, [2, 3, 1, 4]],
  ["battery", true, [1, 3, 2, 4]],
  ["firmware", false, [2, 1, 4, 3]],
  ["status", false, [2, 4, 3, 1]],
  ["cleaned", false, [2, 1, 3, 4]],
  ["group", true, [1, 2, 3, 4]],
] as const)("Robots page: sorted by %s, descending %s; what is not known comes last", (column, isDescending, ids) => {
  expect(sortRobots(rows, { column, isDescending }, runs).map(({ id }) => id)).toEqual(ids);
});

test("Robots page: any order has each robot once, and does not depend on the one before", () => {
  const serial = fc.stringMatching(/^SCR-\d{1,4}$/);
  const robot = fc.record({ serial, battery: fc.integer({ min: 0, max: 100 }) });
  fc.assert(
    fc.property(fc.array(robot), fc.constantFrom(...COLUMN_IDS), fc.boolean(), (given, column, isDescending) => {
      const made = new FleetRows().of(
        given.map(({ serial: serial_number, battery }, index) =>
          robotLive({ ...seen, robot_id: index + 1, serial_number, battery_level: battery }),
        ),
        context,
      );
      const sort = { column, isDescending };
      const once = sortRobots(made, sort, runs);
      expect(new Set(once)).toEqual(new Set(made));
      expect(sortRobots(made.toReversed(), sort, runs)).toEqual(once);
    }),
  );
});

test("Robots page: of a robot that has not changed the row stays the same object", () => {
  const kept = new FleetRows();
  const before = kept.of(robots, context);
  const changed = robots.map((robot) => (robot.robot_id === 2 ? { ...robot, battery_level: 11 } : robot));
  const after = kept.of(changed, context);
  expect(after.map((row, index) => row === before[index])).toEqual([true, false, true, true]);
  expect(kept.of(changed.slice(1), context)).toHaveLength(3);
});

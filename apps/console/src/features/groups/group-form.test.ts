import { type Group, GROUP_INCOMPLETE } from "@suncrew/contract/groups/groups.ts";
import { describe, expect, test } from "vitest";
import { groupFormProblems, NAME_TAKEN, nameProblem, robotsOffered, storedGroup } from "./group-form.ts";

function group(id: number, group_name: string, ...robotIds: number[]): Group {
  return {
    id,
    group_name,
    site_id: 1,
    robots: robotIds.map((robotId) => ({ id: robotId })),
    created_at: "2026-03-01T12:00:00.000Z",
    schedule_type: null,
    schedule_details: null,
    version: 1,
  };
}

const east = group(1, "East Row", 11, 12);
const west = group(2, "West Row", 13);
const groups = [east, west];

test("§5 Robot group: invisible characters of a stored name are left out in the dialog", () => {
  expect(storedGroup(group(3, "East\u202E Row")).form.name).toBe("East Row");
});

describe("§5 Robot group: the name is unique per site, ignoring case and spaces; the group's own is excluded", () => {
  test.each([
    ["east row", null, NAME_TAKEN],
    ["  EAST\u00a0 ROW ", null, NAME_TAKEN],
    ["EastRow", west, NAME_TAKEN],
    ["east  ROW", east, null],
    ["East Row 2", null, null],
    ["East\u202E Row", null, "Group name must not have a character that cannot be seen (U+202E)"],
    ["", null, null],
  ])("%j", (name, edited, problem) => {
    expect(nameProblem({ name, robotIds: [14], group: edited, groups })).toBe(problem);
  });
});

describe("§5 Robot group: Create and Update are disabled while invalid", () => {
  test.each([
    ["", [14], { robotIds: GROUP_INCOMPLETE }],
    [" \t ", [14], { robotIds: GROUP_INCOMPLETE }],
    ["North Row", [], { robotIds: GROUP_INCOMPLETE }],
    ["West row", [14], { name: NAME_TAKEN }],
    ["North Row", [14], {}],
  ])("%j with robots %j", (name, robotIds, problems) => {
    expect(groupFormProblems({ name, robotIds, group: null, groups })).toEqual(problems);
  });
});

test("§5 Robot group: a new group is offered ungrouped robots, an edited one also its own", () => {
  const rows = [11, 12, 13, 14].map((robot_id) => ({ robot_id }));
  const ids = (edited: Group | null) => robotsOffered(rows, groups, edited).map((row) => row.robot_id);
  expect(ids(null)).toEqual([14]);
  expect(ids(east)).toEqual([11, 12, 14]);
  expect(ids(west)).toEqual([13, 14]);
});

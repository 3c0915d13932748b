import { describe, expect, test } from "vitest";
import {
  groupCan,
  groupNameKey,
  groupOutcomeOf,
  groupStatusOf,
  onlineMembersOf,
  groupSuccessMessage,
} from "./groups.ts";

const of = (...statuses: ("normal" | "idle" | "warning" | "offline" | "critical")[]) =>
  statuses.map((status) => ({ status, motion: null }));

describe("§5 Robot group: names are compared ignoring case and spaces", () => {
  test.each([
    ["East Row", "eastrow"],
    ["  EAST  row\t", "eastrow"],
    ["E a\u00a0s t\nRow", "eastrow"],
    ["Öst", "öst"],
    ["O\u0308st", "öst"],
    ["   ", ""],
  ])("%j is %j", (name, key) => {
    expect(groupNameKey(name)).toBe(key);
  });
});

describe("§4 Group status", () => {
  test.each([
    [of("normal", "normal"), "normal", 2],
    [of("idle", "offline"), "standby", 1],
    [of("normal", "idle", "critical"), "warning", 2],
    [of("warning"), "standby", 0],
    [of(), "standby", 0],
  ] as const)("%j is %s with %i online", (members, status, online) => {
    expect(groupStatusOf(members)).toBe(status);
    expect(onlineMembersOf(members)).toBe(online);
  });
});

describe("§4 Button enabling of a group", () => {
  test("Start All is disabled if any member is normal or moving, Stop All if none is", () => {
    expect(groupCan.startAll(of("idle", "normal"), false)).toBe("member-running");
    expect(groupCan.startAll(of("idle", "offline"), false)).toBeNull();
    expect(groupCan.startAll([{ status: "warning", motion: "MOVING" }], false)).toBe("member-running");
    expect(groupCan.startAll(of("idle"), true)).toBe("in-progress");
    expect(groupCan.startAll([], false)).toBe("empty");
    expect(groupCan.stopAll(of("idle", "normal"), false)).toBeNull();
    expect(groupCan.stopAll(of("idle", "critical"), false)).toBe("none-running");
    expect(groupCan.stopAll([{ status: "warning", motion: "MOVING" }], false)).toBeNull();
    expect(groupCan.stopAll(of("idle"), true)).toBeNull();
  });

  test("protocol rule 13: one that was lost while moving can be stopped until it is seen stopped", () => {
    const lost = (motion: "MAY_BE_MOVING" | "MUST_HAVE_STOPPED") => [{ status: "offline" as const, motion }];
    expect(groupCan.stopAll(lost("MAY_BE_MOVING"), false)).toBeNull();
    expect(groupCan.stopAll(lost("MUST_HAVE_STOPPED"), false)).toBeNull();
    expect(groupCan.startAll(lost("MAY_BE_MOVING"), false)).toBe("member-may-be-moving");
    expect(groupCan.startAll(lost("MUST_HAVE_STOPPED"), false)).toBeNull();
  });

  test("Start All and Stop All of an empty group", () => {
    expect(groupCan.stopAll([], true)).toBe("empty");
  });
});

describe("§4 Group action outcome", () => {
  test.each([
    [["SUCCESS", "SUCCESS"], "all"],
    [["SUCCESS", "SKIPPED"], "some"],
    [["FAILED", "SUCCESS"], "some"],
    [["SKIPPED", "FAILED"], "none"],
    [[], "none"],
  ] as const)("%j is %s", (outcomes, expected) => {
    expect(groupOutcomeOf(outcomes.map((outcome) => ({ outcome })))).toBe(expected);
  });
});

describe("§4 Group action: how many were started or stopped", () => {
  const moved = { outcome: "SUCCESS", pending: false, was_moving: true } as const;
  const stood = { ...moved, was_moving: false };
  const failed = { outcome: "FAILED", pending: true } as const;

  test.each([
    [[moved, moved], "2 of 2 robots stopped."],
    [[moved, stood, stood], "1 of 1 robot stopped. 2 already stopped."],
    [[moved, stood, failed], "1 of 2 robots stopped. 1 already stopped."],
    [[stood, stood], "2 robots already stopped."],
    [[failed], "0 of 1 robot stopped."],
  ])("%j: %s", (results, sentences) => {
    expect(groupSuccessMessage(results, "stopped")).toBe(sentences);
  });
});

test("counts of robots have their thousands apart, as everywhere", () => {
  const stopped = Array.from({ length: 9_477 }, () => ({
    outcome: "SUCCESS" as const,
    pending: false,
    was_moving: true,
  }));
  expect(groupSuccessMessage(stopped, "stopped")).toBe("9,477 of 9,477 robots stopped.");
});

import { describe, expect, test } from "vitest";
import {
  type CommandedRobot,
  groupActivityOf,
  isCommandUnderWay,
  isStartUnderWay,
  shortSiteName,
  showsCommand,
} from "./group-looks.ts";

/** An idle robot that is stopped and has no command in progress. */
function robot(id: number, change: Partial<CommandedRobot> = {}): CommandedRobot {
  return { id, status: "idle", motion: "STOPPED", openCommand: null, sending: null, ...change };
}

function open(verb: "START" | "STOP" | "SET", pending = false): NonNullable<CommandedRobot["openCommand"]> {
  return { id: "0198d9a0-0000-7000-8000-000000000001", verb, issued_at: "2026-03-01T12:00:00.000Z", pending };
}

const mayBeMoving = { status: "offline", motion: "MAY_BE_MOVING" } as const;
const moving = { status: "normal", motion: "MOVING" } as const;

describe("§4 Group action: what a group is doing, in one line", () => {
  test.each([
    ["None cleaning", [robot(1), robot(2)]],
    ["1 of 2 cleaning", [robot(1, moving), robot(2)]],
    ["Starting 2 robots", [robot(1, { openCommand: open("START") }), robot(2, { openCommand: open("START") })]],
    ["Stopping 1 robot", [robot(1, { ...moving, openCommand: open("STOP") }), robot(2, moving)]],
    // A Stop that waits for a robot's return is shown by that robot alone.
    ["1 of 2 cleaning", [robot(1, { status: "offline", openCommand: open("STOP", true) }), robot(2, moving)]],
    // Locked, and still seen moving.
    ["1 of 1 cleaning", [robot(1, { status: "offline", motion: "MOVING" })]],
    ["1 may be moving", [robot(1, mayBeMoving), robot(2)]],
    ["1 of 3 cleaning, 2 may be moving", [robot(1, mayBeMoving), robot(2, mayBeMoving), robot(3, moving)]],
    ["None cleaning, 1 must have stopped", [robot(1, { ...mayBeMoving, motion: "MUST_HAVE_STOPPED" })]],
  ])("%s", (text, members) => {
    expect(groupActivityOf(members, null)).toBe(text);
  });

  test("while this browser's own order is in progress, how many robots have shown it", () => {
    const members = [robot(1, moving), robot(2, { ...moving, openCommand: open("START") }), robot(3), robot(4, moving)];
    expect(groupActivityOf(members, { verb: "START", robotIds: [1, 2, 3] })).toBe("Starting 3 robots: 1 confirmed");
    expect(groupActivityOf(members, { verb: "STOP", robotIds: [3] })).toBe("Stopping 1 robot: 1 confirmed");
  });
});

test("protocol rule 6: a robot shows a command by its motion, once the command is closed", () => {
  expect(showsCommand(robot(1, moving), "START")).toBe(true);
  expect(showsCommand(robot(1, { ...moving, openCommand: open("START") }), "START")).toBe(false);
  expect(showsCommand(robot(1), "STOP")).toBe(true);
  expect(showsCommand(robot(1, moving), "STOP")).toBe(false);
  for (const verb of ["START", "STOP"] as const) expect(showsCommand(robot(1, mayBeMoving), verb)).toBe(false);
});

test("§4 Button enabling of a group: which commands are in progress, and which merely wait for a robot's return", () => {
  const waiting = robot(1, { openCommand: open("STOP", true) });
  expect(isCommandUnderWay([robot(1), waiting])).toBe(false);
  expect(isCommandUnderWay([robot(1, { openCommand: open("SET") })])).toBe(true);
  expect(isCommandUnderWay([robot(1, { sending: "STOP" })])).toBe(true);
  expect(isStartUnderWay([waiting, robot(2, { sending: "STOP" })])).toBe(false);
  expect(isStartUnderWay([robot(1, { sending: "START" })])).toBe(true);
  expect(isStartUnderWay([robot(1), robot(2, { openCommand: open("START") })])).toBe(true);
});

test.each([
  ["Bhadla Solar Park", "Bhadla"],
  ["Kurnool Ultra Mega Solar Park", "Kurnool"],
  ["Ownfield Annex", "Ownfield Annex"],
  ["Site 12", "Site 12"],
  ["Solar Park", "Solar Park"],
  ["Charanka Solar Park 2", "Charanka Solar Park 2"],
  ["Rajasthan Renewable Energy Research Campus", "Rajasthan Renewable"],
  ["Thiruvananthapuramkottayam Works", "Thiruvananthapuramkot..."],
])("stop all: the short name of %s is %s", (name, short) => {
  expect(shortSiteName(name)).toBe(short);
});

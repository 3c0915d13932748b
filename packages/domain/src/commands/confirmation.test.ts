import { describe, expect, it, test } from "vitest";
import { type SentCommand, type ReportedState, stateConfirms } from "./confirmation.ts";

const state: ReportedState = {
  motion: "MOVING",
  mode: "AUTO",
  lastSeq: 10,
  runId: "0198c0de-0000-7000-8000-000000000001",
  applied: { direction: "FWD", mainSpeed: 75, brushSpeed: 80 },
};
const command = (change: Partial<SentCommand>): SentCommand => ({
  verb: "START",
  seq: 10,
  runId: state.runId,
  settings: null,
  ...change,
});

describe("protocol rule 6: a command is done when the robot shows it", () => {
  test.each<[string, Partial<ReportedState>, Partial<SentCommand>, boolean]>([
    ["START: moving on its run", {}, {}, true],
    ["START: moving on another run", { runId: "0198c0de-0000-7000-8000-000000000002" }, {}, false],
    ["START: standing", { motion: "STOPPED" }, {}, false],
    ["STOP: standing", { motion: "STOPPED" }, { verb: "STOP" }, true],
    ["STOP: still moving", {}, { verb: "STOP" }, false],
    ["SET: applied", {}, { verb: "SET", settings: { direction: "FWD", mainSpeed: 75 } }, true],
    ["SET: another direction", {}, { verb: "SET", settings: { direction: "REV" } }, false],
    ["SET: another brush speed", {}, { verb: "SET", settings: { brushSpeed: 81 } }, false],
    [
      "MAINTENANCE_ON: locked and standing",
      { mode: "MAINTENANCE", motion: "STOPPED" },
      { verb: "MAINTENANCE_ON" },
      true,
    ],
    ["MAINTENANCE_ON: locked but still moving", { mode: "MAINTENANCE" }, { verb: "MAINTENANCE_ON" }, false],
    ["MAINTENANCE_ON: not locked", {}, { verb: "MAINTENANCE_ON" }, false],
    ["MAINTENANCE_OFF: released", {}, { verb: "MAINTENANCE_OFF" }, true],
    ["MAINTENANCE_OFF: still locked", { mode: "MAINTENANCE" }, { verb: "MAINTENANCE_OFF" }, false],
  ])("%s", (_words, stateChange, commandChange, shown) => {
    expect(stateConfirms({ ...state, ...stateChange }, command(commandChange))).toBe(shown);
  });

  it("accepts no state from before the robot accepted the command", () => {
    for (const verb of ["START", "STOP", "SET", "MAINTENANCE_OFF"] as const) {
      const before = { ...state, lastSeq: 9, motion: verb === "STOP" ? ("STOPPED" as const) : state.motion };
      expect(stateConfirms(before, command({ verb }))).toBe(false);
    }
  });
});

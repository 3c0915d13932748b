import { describe, expect, test } from "vitest";
import { runOutcomeOf } from "./run-outcome.ts";

describe("§4 Cleaning runs: how a motion counts", () => {
  test.each([
    ["FAULT", "CUT_SHORT", "CUT_SHORT", "CUT_SHORT"],
    ["BATTERY", "CUT_SHORT", "CUT_SHORT", "CUT_SHORT"],
    ["LINK_LOST", "CUT_SHORT", "CUT_SHORT", "CUT_SHORT"],
    ["STOP", "COMPLETED", "STOPPED", "COMPLETED"],
    ["MAINTENANCE", "COMPLETED", "STOPPED", "COMPLETED"],
    ["MAX_DURATION", "COMPLETED", "COMPLETED", "COMPLETED"],
    ["FINISHED", "COMPLETED", "COMPLETED", "COMPLETED"],
  ] as const)("%s: manual %s, planned early %s, planned in time %s", (reason, manual, early, inTime) => {
    expect(runOutcomeOf({ planned: false, plannedEndReached: false }, reason)).toBe(manual);
    expect(runOutcomeOf({ planned: true, plannedEndReached: false }, reason)).toBe(early);
    expect(runOutcomeOf({ planned: true, plannedEndReached: true }, reason)).toBe(inTime);
  });
});

import { describe, expect, test } from "vitest";
import { runOutcomeOf, SHORTEST_DONE_MS } from "./run-outcome.ts";

describe("§4 Cleaning runs: how a motion counts", () => {
  test.each([
    ["FAULT", "CUT_SHORT", "CUT_SHORT", "CUT_SHORT", "CUT_SHORT"],
    ["BATTERY", "CUT_SHORT", "CUT_SHORT", "CUT_SHORT", "CUT_SHORT"],
    ["LINK_LOST", "CUT_SHORT", "CUT_SHORT", "CUT_SHORT", "CUT_SHORT"],
    ["STOP", "COMPLETED", "STOPPED", "STOPPED", "COMPLETED"],
    ["MAINTENANCE", "COMPLETED", "STOPPED", "STOPPED", "COMPLETED"],
    ["MAX_DURATION", "COMPLETED", "COMPLETED", "COMPLETED", "COMPLETED"],
    ["FINISHED", "COMPLETED", "COMPLETED", "COMPLETED", "COMPLETED"],
  ] as const)(
    "%s: manual %s, manual of some seconds %s, planned early %s, planned in time %s",
    (reason, manual, short, early, inTime) => {
      const byHand = { planned: false, plannedEndReached: false };
      expect(runOutcomeOf({ ...byHand, movedMs: SHORTEST_DONE_MS }, reason)).toBe(manual);
      expect(runOutcomeOf({ ...byHand, movedMs: SHORTEST_DONE_MS - 1 }, reason)).toBe(short);
      const planned = { planned: true, movedMs: 2 * SHORTEST_DONE_MS };
      expect(runOutcomeOf({ ...planned, plannedEndReached: false }, reason)).toBe(early);
      expect(runOutcomeOf({ ...planned, plannedEndReached: true }, reason)).toBe(inTime);
    },
  );
});

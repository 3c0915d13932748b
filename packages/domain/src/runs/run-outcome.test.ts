import { expect, test } from "vitest";
import { runOutcomeOf } from "./run-outcome.ts";

test.each([
  ["FINISHED", "COMPLETED", "COMPLETED"],
  ["MAX_DURATION", "COMPLETED", "COMPLETED"],
  ["STOP", "COMPLETED", "STOPPED"],
  ["MAINTENANCE", "COMPLETED", "STOPPED"],
  ["FAULT", "CUT_SHORT", "CUT_SHORT"],
  ["BATTERY", "CUT_SHORT", "CUT_SHORT"],
  ["LINK_LOST", "CUT_SHORT", "CUT_SHORT"],
] as const)("Cleaning runs: ended by %s, a manual run is %s and a planned one %s", (reason, manual, planned) => {
  expect(runOutcomeOf({ planned: false }, reason)).toBe(manual);
  expect(runOutcomeOf({ planned: true }, reason)).toBe(planned);
});

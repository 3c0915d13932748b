import type { NightState } from "@suncrew/contract/robot-history/robot-history.ts";

/** How a run counts for its night: a night is as good as its best run, the first of these. */
export const BEST_FIRST = [
  "COMPLETED",
  "RUNNING",
  "CUT_SHORT",
  "STOPPED",
  "FAILED",
  "MISSED",
  "SKIPPED",
] as const satisfies readonly NightState[];

/** States of nights that need a reason. */
export function isNotDone(state: NightState): boolean {
  return state !== "COMPLETED" && state !== "RUNNING" && state !== "NONE";
}

import type { RunEndReason } from "@suncrew/contract/devices/messages.ts";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";

export interface EndedRun {
  readonly planned: boolean;
  /** It ran until the time it was to be stopped; the Stop at that time is the scheduler's. */
  readonly plannedEndReached: boolean;
}

/** A planned run whose end is seen this much before its time, in milliseconds, has reached it: clocks differ a little. */
export const PLANNED_END_TOLERANCE_MS = 2_000;

/** How a motion counts once it ended; planned runs that a person stops early are STOPPED, manual ones COMPLETED. */
export function runOutcomeOf(run: EndedRun, reason: RunEndReason): RunOutcome {
  switch (reason) {
    case "FAULT":
    case "BATTERY":
    case "LINK_LOST":
      return "CUT_SHORT";
    case "STOP":
    case "MAINTENANCE":
      return run.planned && !run.plannedEndReached ? "STOPPED" : "COMPLETED";
    case "MAX_DURATION":
    case "FINISHED":
      return "COMPLETED";
  }
}

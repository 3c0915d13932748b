import type { RunEndReason } from "@suncrew/contract/devices/messages.ts";

export type RunOutcome = "COMPLETED" | "STOPPED" | "CUT_SHORT" | "FAILED" | "SKIPPED" | "MISSED";

/** How a motion counts once it ended; planned runs that a person stops early are STOPPED, manual ones COMPLETED. */
export function runOutcomeOf(run: { readonly planned: boolean }, reason: RunEndReason): RunOutcome {
  switch (reason) {
    case "FAULT":
    case "BATTERY":
    case "LINK_LOST":
      return "CUT_SHORT";
    case "STOP":
    case "MAINTENANCE":
      return run.planned ? "STOPPED" : "COMPLETED";
    case "MAX_DURATION":
    case "FINISHED":
      return "COMPLETED";
  }
}

import type { RunEndReason } from "@suncrew/contract/devices/messages.ts";
import { type RunOutcome, runOutcomeSchema } from "@suncrew/contract/robots/run-outcome.ts";
import type { RunCounts } from "@suncrew/contract/runs/runs.ts";

interface EndedRun {
  readonly planned: boolean;
  /** It ran until its planned stop; the Stop at that time is the scheduler's. */
  readonly plannedEndReached: boolean;
  /** How long the robot moved, in milliseconds. */
  readonly movedMs: number;
}

/**
 * A planned run seen to end at most this long before its time, in milliseconds, has reached it: clocks differ a little.
 */
export const PLANNED_END_TOLERANCE_MS = 2_000;

/** A manual run that a person ends sooner, in milliseconds, has cleaned nothing. */
export const SHORTEST_DONE_MS = 60_000;

/**
 * How a motion counts once it has ended. Done (COMPLETED) is a run that reached its planned end or that the robot ended
 * as finished, and a manual run that a person ended after a minute or more. A run that a person ended sooner is
 * STOPPED; a fault, the battery or a lost connection cut it short.
 */
export function runOutcomeOf({ planned, plannedEndReached, movedMs }: EndedRun, reason: RunEndReason): RunOutcome {
  switch (reason) {
    case "FAULT":
    case "BATTERY":
    case "LINK_LOST":
      return "CUT_SHORT";
    case "STOP":
    case "MAINTENANCE":
      return (planned ? plannedEndReached : movedMs >= SHORTEST_DONE_MS) ? "COMPLETED" : "STOPPED";
    case "MAX_DURATION":
    case "FINISHED":
      return "COMPLETED";
  }
}

/** How a run ended, as part of a sentence. */
export const RUN_OUTCOME_WORDS: Readonly<Record<RunOutcome, string>> = {
  COMPLETED: "done",
  STOPPED: "stopped early",
  CUT_SHORT: "cut short",
  FAILED: "failed",
  SKIPPED: "skipped",
  MISSED: "missed",
};

/** The figure under which a run is counted. */
export const COUNT_OF_OUTCOME = {
  COMPLETED: "done",
  STOPPED: "stopped",
  CUT_SHORT: "cut_short",
  FAILED: "failed",
  SKIPPED: "skipped",
  MISSED: "missed",
} as const satisfies Readonly<Record<RunOutcome, keyof RunCounts>>;

/** Outcomes that are not done, each of which is shown with its reason. */
export const NOT_DONE: readonly RunOutcome[] = ["STOPPED", "CUT_SHORT", "FAILED", "SKIPPED", "MISSED"];

/** The outcomes that a figure counts; none for runs in progress. */
export function outcomesOf(count: keyof RunCounts): RunOutcome[] {
  return runOutcomeSchema.options.filter((outcome) => COUNT_OF_OUTCOME[outcome] === count);
}

/** Counts runs by outcome; those without one are in progress. */
export function countRuns(
  runs: readonly { readonly outcome: RunOutcome | null; readonly count?: number }[],
  planned = 0,
): RunCounts {
  const counts = { planned, running: 0, done: 0, stopped: 0, cut_short: 0, failed: 0, skipped: 0, missed: 0 };
  for (const { outcome, count = 1 } of runs) counts[outcome === null ? "running" : COUNT_OF_OUTCOME[outcome]] += count;
  return counts;
}

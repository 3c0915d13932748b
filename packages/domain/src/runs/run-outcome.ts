import type { RunEndReason } from "@suncrew/contract/devices/messages.ts";
import { type RunOutcome, runOutcomeSchema } from "@suncrew/contract/robots/run-outcome.ts";
import type { RunCounts } from "@suncrew/contract/runs/runs.ts";

interface EndedRun {
  readonly planned: boolean;
  /** It ran until the time it was to be stopped; the Stop at that time is the scheduler's. */
  readonly plannedEndReached: boolean;
  /** How long the robot moved, in milliseconds. */
  readonly movedMs: number;
}

/** A planned run whose end is seen this much before its time, in milliseconds, has reached it: clocks differ a little. */
export const PLANNED_END_TOLERANCE_MS = 2_000;

/** A run by hand that a person ends sooner has cleaned nothing, in milliseconds. */
export const SHORTEST_DONE_MS = 60_000;

/**
 * How a motion counts once it ended. Done (COMPLETED) is what reached its planned end or was ended by the robot as
 * finished, and a run by hand that a person ended after a minute or more. What a person ended sooner is stopped early
 * (STOPPED); fault, battery and lost link cut it short.
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

/** How a run ended, inside a sentence. */
export const RUN_OUTCOME_WORDS: Readonly<Record<RunOutcome, string>> = {
  COMPLETED: "done",
  STOPPED: "stopped early",
  CUT_SHORT: "cut short",
  FAILED: "failed",
  SKIPPED: "skipped",
  MISSED: "missed",
};

/** By which of the figures a run is counted. */
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

/** The outcomes that a figure counts; none for those in progress. */
export function outcomesOf(count: keyof RunCounts): RunOutcome[] {
  return runOutcomeSchema.options.filter((outcome) => COUNT_OF_OUTCOME[outcome] === count);
}

/** Adds up runs by outcome; without one they are in progress. */
export function countRuns(
  runs: readonly { readonly outcome: RunOutcome | null; readonly count?: number }[],
  planned = 0,
): RunCounts {
  const counts = { planned, running: 0, done: 0, stopped: 0, cut_short: 0, failed: 0, skipped: 0, missed: 0 };
  for (const { outcome, count = 1 } of runs) counts[outcome === null ? "running" : COUNT_OF_OUTCOME[outcome]] += count;
  return counts;
}

import { type RunOutcome, runOutcomeSchema } from "@suncrew/contract/robots/run-outcome.ts";
import type { RunCounts } from "@suncrew/contract/runs/runs.ts";
import { COUNT_OF_OUTCOME } from "@suncrew/domain/runs/run-outcome.ts";

/** The outcomes that a figure counts; none for those under way. */
export function outcomesOf(count: keyof RunCounts): RunOutcome[] {
  return runOutcomeSchema.options.filter((outcome) => COUNT_OF_OUTCOME[outcome] === count);
}

/** Adds up runs by outcome; without one they are under way. */
export function countRuns(
  runs: readonly { readonly outcome: RunOutcome | null; readonly count?: number }[],
  planned = 0,
): RunCounts {
  const counts = { planned, running: 0, done: 0, stopped: 0, cut_short: 0, failed: 0, skipped: 0, missed: 0 };
  for (const { outcome, count = 1 } of runs) counts[outcome === null ? "running" : COUNT_OF_OUTCOME[outcome]] += count;
  return counts;
}

import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import { commonSpan, overlapMs, type Span } from "./spans.ts";

/** A recorded run. */
export interface RunOnRecord {
  readonly robotId: number;
  readonly outcome: RunOutcome | null;
  /** When it was due, or otherwise began or should have begun. */
  readonly atMs: number;
  /** A planned run's scheduled start and stop; null for a manual run. */
  readonly planned: Span | null;
  /** When it moved, up to now if it still does; null if it never did. */
  readonly moved: Span | null;
}

export type RunOutcomeCounts = Record<RunOutcome | "RUNNING", number>;

export interface RobotTally {
  /** Planned runs due in the range, by outcome. */
  readonly planned: RunOutcomeCounts;
  /** Manual runs of the range, by outcome. */
  readonly manual: RunOutcomeCounts;
  /** Manual runs that began in the range. */
  byHand: number;
  /** Runs that began to move in the range. */
  starts: number;
  /** Planned time in the range. */
  plannedMs: number;
  /** Cleaning of planned runs within their planned time; at most `plannedMs`. */
  asPlannedMs: number;
  /** Cleaning of planned runs before or after it. */
  outsidePlanMs: number;
  byHandMs: number;
}

/** Totals of runs over a range, by robot. */
export interface RunTally {
  readonly range: Span;
  readonly robots: Map<number, RobotTally>;
}

/** `range` must end by now: future runs are neither planned nor done. */
export function newRunTally(range: Span): RunTally {
  return { range, robots: new Map() };
}

/**
 * Adds a run. It counts on the day it was due or otherwise began; planned and cleaned time is clipped to the range, so
 * that a run across midnight contributes its part to each day. False if nothing of it is in the range.
 */
export function tallyRun(tally: RunTally, run: RunOnRecord): boolean {
  const { range } = tally;
  const { atMs } = run;
  const robot = tally.robots.get(run.robotId) ?? newRobotTally();
  const moved = run.moved === null ? null : commonSpan(run.moved, range);
  const cleanedMs = moved === null ? 0 : moved.toMs - moved.fromMs;
  const planned = run.planned === null ? null : commonSpan(run.planned, range);
  const counts = atMs >= range.fromMs && atMs < range.toMs;
  if (!counts && cleanedMs === 0 && planned === null) return false;
  tally.robots.set(run.robotId, robot);
  if (run.planned === null) {
    robot.byHandMs += cleanedMs;
  } else {
    const asPlannedMs = moved === null ? 0 : overlapMs(moved, run.planned);
    robot.plannedMs += planned === null ? 0 : planned.toMs - planned.fromMs;
    robot.asPlannedMs += asPlannedMs;
    robot.outsidePlanMs += cleanedMs - asPlannedMs;
  }
  if (moved !== null && moved.fromMs === run.moved?.fromMs) robot.starts += 1;
  if (!counts) return true;
  const outcome = run.outcome ?? "RUNNING";
  if (run.planned === null) {
    robot.manual[outcome] += 1;
    if (run.moved !== null) robot.byHand += 1;
  } else {
    robot.planned[outcome] += 1;
  }
  return true;
}

function newRobotTally(): RobotTally {
  const counts = { planned: noOutcomes(), manual: noOutcomes(), byHand: 0, starts: 0 };
  return { ...counts, plannedMs: 0, asPlannedMs: 0, outsidePlanMs: 0, byHandMs: 0 };
}

export function noOutcomes(): RunOutcomeCounts {
  return { COMPLETED: 0, STOPPED: 0, CUT_SHORT: 0, FAILED: 0, SKIPPED: 0, MISSED: 0, RUNNING: 0 };
}

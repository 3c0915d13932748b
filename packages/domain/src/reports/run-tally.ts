import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import { addByDay, commonSpan, dayAt, overlapMs, type Span } from "./spans.ts";

/** A run as it is on record. */
export interface RunOnRecord {
  readonly robotId: number;
  readonly outcome: RunOutcome | null;
  /** When it was due, or else began or was to begin. */
  readonly atMs: number;
  /** When a planned run was due and was to be stopped; null for one by hand. */
  readonly planned: Span | null;
  /** When it moved, until now where it still does; null where it never did. */
  readonly moved: Span | null;
}

export type RunOutcomeCounts = Record<RunOutcome | "RUNNING", number>;

export interface RobotTally {
  /** Of planned runs that were due in the range, by how they came out. */
  readonly planned: RunOutcomeCounts;
  /** Runs by hand that began in the range. */
  byHand: number;
  plannedMs: number;
  /** Of the planned runs that were due in the range. */
  cleanedOfPlannedMs: number;
  /** Of all runs. */
  cleanedMs: number;
}

/** What runs add up to over a range; built up run by run, so that they need not be in memory together. */
export interface RunTally {
  readonly range: Span;
  readonly days: readonly Span[];
  readonly robots: Map<number, RobotTally>;
  readonly outcomes: RunOutcomeCounts;
  readonly cleanedMsByDay: number[];
  readonly outcomesByDay: readonly RunOutcomeCounts[];
}

/** `range` ends with now where it lies ahead: what is still to come is neither planned nor done. */
export function newRunTally(range: Span, days: readonly Span[]): RunTally {
  return {
    range,
    days,
    robots: new Map(),
    outcomes: noOutcomes(),
    cleanedMsByDay: days.map(() => 0),
    outcomesByDay: days.map(noOutcomes),
  };
}

/** Adds a run. It counts where it was due, or else began; what it cleaned counts as far as it lies in the range. */
export function tallyRun(tally: RunTally, run: RunOnRecord): void {
  const { range, days } = tally;
  const { atMs } = run;
  const robot = tally.robots.get(run.robotId) ?? newRobotTally();
  const moved = run.moved === null ? null : commonSpan(run.moved, range);
  const cleanedMs = moved === null ? 0 : moved.toMs - moved.fromMs;
  const counts = atMs >= range.fromMs && atMs < range.toMs;
  if (!counts && cleanedMs === 0) return;
  tally.robots.set(run.robotId, robot);
  robot.cleanedMs += cleanedMs;
  if (moved !== null) addByDay(days, tally.cleanedMsByDay, moved);
  if (!counts) return;
  const outcome = run.outcome ?? "RUNNING";
  tally.outcomes[outcome] += 1;
  const ofDay = tally.outcomesByDay[dayAt(days, atMs)];
  if (ofDay !== undefined) ofDay[outcome] += 1;
  if (run.planned === null) {
    if (run.moved !== null) robot.byHand += 1;
    return;
  }
  robot.planned[outcome] += 1;
  robot.plannedMs += overlapMs(run.planned, range);
  robot.cleanedOfPlannedMs += cleanedMs;
}

export function newRobotTally(): RobotTally {
  return { planned: noOutcomes(), byHand: 0, plannedMs: 0, cleanedOfPlannedMs: 0, cleanedMs: 0 };
}

export function noOutcomes(): RunOutcomeCounts {
  return { COMPLETED: 0, STOPPED: 0, CUT_SHORT: 0, FAILED: 0, SKIPPED: 0, MISSED: 0, RUNNING: 0 };
}

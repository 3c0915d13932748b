import type { CalendarEntry, Run } from "@suncrew/contract/runs/runs.ts";
import { countRuns, NOT_DONE } from "@suncrew/domain/runs/run-outcome.ts";
import { decidesAt, stopDueAt } from "@suncrew/domain/schedules/due-decision.ts";
import { localTimeOf } from "@suncrew/domain/schedules/site-time.ts";
import { invalid } from "../../platform/http/http-error.ts";
import type { HeldRun, UpcomingSchedule } from "./runs.queries.ts";

const FIRST_DAY = "2000-01-01";
const LAST_DAY = "2199-12-31";

/** Throws 400 for a date that no calendar shows. */
export function requireCalendarDate(field: string, date: string): void {
  if (date < FIRST_DAY || date > LAST_DAY)
    throw invalid(field, `${field} must lie between ${FIRST_DAY} and ${LAST_DAY}`);
}

/** Robots of a group that a person started together begin within this time. */
const TOGETHER_MS = 10_000;

/** The entries of recorded runs: those of one schedule and due time together, those by hand separately. */
export function recordedEntries(runs: readonly Run[], timezone: string): CalendarEntry[] {
  const entries = new Map<string, Run[]>();
  const together = new Map<number, { readonly key: string; readonly atMs: number }>();
  for (const run of runs.toSorted((one, other) => atMs(one) - atMs(other))) {
    const key = keyOf(run, together);
    entries.set(key, [...(entries.get(key) ?? []), run]);
  }
  return [...entries].map(([key, members]) => entryOf(key, members, timezone));
}

/** Whether a schedule will run then: one "when worth it" only if that is decided. */
export function isPlanned({ frequency, is_worth_it, next_run_at }: UpcomingSchedule, dueAt: Date): boolean {
  return frequency !== "WHEN_WORTH_IT" || (is_worth_it === true && dueAt.getTime() === next_run_at.getTime());
}

/** The entry of a planned run, or of a time at which it is not decided yet whether there is one, or that there is none. */
export function plannedEntry(
  schedule: UpcomingSchedule,
  dueAt: Date,
  isPlanned: boolean,
  timezone: string,
): CalendarEntry {
  const isByNeed = schedule.frequency === "WHEN_WORTH_IT";
  const isDecided = isByNeed && schedule.decision !== null && dueAt.getTime() === schedule.next_run_at.getTime();
  return {
    by_need: !isByNeed
      ? null
      : {
          runs: isDecided ? isPlanned : null,
          decides_at: decidesAt(dueAt).toISOString(),
          text: isDecided ? schedule.decision : null,
        },
    key: `planned-${schedule.id}-${dueAt.toISOString()}`,
    state: "PLANNED",
    action_type: "SCHEDULED",
    group_id: schedule.group_id,
    title: schedule.group_name,
    begins_at: dueAt.toISOString(),
    ends_at: stopDueAt(dueAt, schedule.duration_minutes).toISOString(),
    local_time: clockTime(dueAt, timezone),
    robots: schedule.robots,
    counts: countRuns([], isPlanned ? schedule.robots : 0),
    reasons: [],
    sample: false,
  };
}

/** The entry of a time at which a group did not run because it was not worth it. */
export function heldEntry(
  { schedule_id, group_id, group_name, due_at, reason }: HeldRun,
  timezone: string,
): CalendarEntry {
  return {
    key: `held-${schedule_id}-${due_at.toISOString()}`,
    state: "OVER",
    action_type: "SCHEDULED",
    group_id,
    title: group_name,
    begins_at: due_at.toISOString(),
    ends_at: null,
    local_time: clockTime(due_at, timezone),
    robots: 0,
    counts: countRuns([]),
    reasons: [],
    by_need: { runs: false, decides_at: decidesAt(due_at).toISOString(), text: reason },
    sample: false,
  };
}

function keyOf(run: Run, together: Map<number, { readonly key: string; readonly atMs: number }>): string {
  if (run.schedule_id !== null) return `schedule-${run.schedule_id}-${run.due_at}`;
  if (run.group_id === null || run.action_type !== "GROUP") return run.id;
  const begun = together.get(run.group_id);
  if (begun !== undefined && atMs(run) - begun.atMs <= TOGETHER_MS) return begun.key;
  together.set(run.group_id, { key: `group-${run.id}`, atMs: atMs(run) });
  return `group-${run.id}`;
}

function entryOf(key: string, runs: readonly Run[], timezone: string): CalendarEntry {
  const [first] = runs;
  if (first === undefined) throw new RangeError("An entry has runs.");
  const isOpen = runs.some(({ outcome }) => outcome === null);
  const begins = new Date(atMs(first));
  return {
    key,
    state: isOpen ? "RUNNING" : "OVER",
    action_type: first.action_type,
    group_id: first.group_id,
    title: first.group_name ?? first.serial_number,
    begins_at: begins.toISOString(),
    ends_at: isOpen ? first.stop_due_at : (lastEnd(runs) ?? first.stop_due_at),
    local_time: clockTime(begins, timezone),
    robots: runs.length,
    counts: countRuns(runs),
    reasons: runs.flatMap(({ serial_number, outcome, reason }) =>
      outcome !== null && NOT_DONE.includes(outcome)
        ? [{ serial_number, outcome, reason: reason ?? "Not known." }]
        : [],
    ),
    by_need: null,
    sample: runs.every(({ sample }) => sample),
  };
}

/** When the last robot that moved stopped; null if none moved. */
function lastEnd(runs: readonly Run[]): string | null {
  const ends = runs.flatMap(({ began_at, ended_at }) => (began_at === null || ended_at === null ? [] : [ended_at]));
  return ends.toSorted().at(-1) ?? null;
}

function atMs(run: Run): number {
  return Date.parse(run.due_at ?? run.began_at ?? run.ended_at ?? "");
}

function clockTime(at: Date, timezone: string): string {
  return localTimeOf(at, timezone).time.slice(0, 5);
}

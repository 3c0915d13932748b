import { runsBetween } from "@suncrew/domain/schedules/next-run.ts";
import type { ComingSchedule } from "./planned-runs.queries.ts";

/** When a schedule is due from `from` on and before `to`; one that is due already and not begun counts too. */
export function comingRuns(schedule: ComingSchedule, from: Date, to: Date): Date[] {
  const { start_time: startTime, frequency, timezone, next_run_at } = schedule;
  return runsBetween({ startTime, frequency }, timezone, next_run_at > from ? next_run_at : from, to);
}

export { Scheduler } from "./scheduler.ts";
/** For the demo's history, which is written by what really runs schedules. */
export { type Circumstances, runDue } from "./run-due.ts";
export { stopRuns } from "./stop-runs.ts";
export { type Saved, type ScheduleBody, storeNew } from "./save-schedule.ts";
/** For who changes where a site is. */
export { rezoneSchedules } from "./rezone.ts";

export { voidDecisions } from "./decisions.repository.ts";
export { Scheduler } from "./scheduler.ts";
export { readSchedules } from "./schedules.queries.ts";
export { rezoneSchedules, type ScheduleBody, saveNewSchedule } from "./schedules.service.ts";
/** For the demo's history, which is written by the code that runs schedules. */
export { type DueContext, runDue, stopRuns } from "./scheduled-runs.ts";

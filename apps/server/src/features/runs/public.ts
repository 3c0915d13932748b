export { type MotionShown, recordMotions } from "./run-motions.writes.ts";
export { type EventTold, type RecordedEvents, recordEvents } from "./run-events.writes.ts";
export { failPlannedRuns, findStoppedSince, insertNotStarted } from "./run-rows.writes.ts";
/** For the scheduler. */
export {
  findStopsDue,
  insertPlannedRuns,
  type Occurrence,
  type PlannedRun,
  readStopsDue,
  SCHEDULER,
  setStopCommands,
  type StopDue,
  withoutRun,
} from "./planned-runs.writes.ts";
export { type FailedStart, findFailedStarts, openAnew, readFailedStart } from "./failed-starts.writes.ts";
export { closeLostRun, closeRunsOfRemoved, findLostRuns } from "./lost-runs.writes.ts";
export { reasonInWords, stoppedBy } from "./run-reasons.ts";

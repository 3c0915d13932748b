export { type MotionShown, recordMotions } from "./run-motions.repository.ts";
export { type EventTold, type RecordedEvents, recordEvents } from "./run-events.repository.ts";
export { failPlannedRuns, findStoppedSince, insertNotStarted } from "./run-rows.repository.ts";
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
} from "./planned-runs.repository.ts";
export { type FailedStart, findFailedStarts, openAnew, readFailedStart } from "./failed-starts.repository.ts";
export { closeLostRun, closeRunsOfRemoved, findLostRuns } from "./lost-runs.repository.ts";
export { reasonInWords, stoppedBy } from "./run-reasons.ts";

export {
  type EventTold,
  type MotionShown,
  type RecordedEvents,
  recordEvents,
  recordMotions,
} from "./reported-runs.repository.ts";
export { failPlannedRuns, findStoppedSince, insertNotStarted } from "./runs.repository.ts";
/** For the scheduler. */
export {
  type FailedStart,
  findFailedStarts,
  findStopsDue,
  insertPlannedRuns,
  type Occurrence,
  openAnew,
  type PlannedRun,
  readFailedStart,
  readStopsDue,
  SCHEDULER,
  setStopCommands,
  type StopDue,
  withoutRun,
} from "./planned-runs.repository.ts";
export { closeLostRun, closeRunsOfRemoved, findLostRuns } from "./run-ends.repository.ts";
export { reasonInWords, stoppedBy } from "./run-reasons.ts";

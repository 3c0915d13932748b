export {
  type ReceivedEvent as ReceivedEvent,
  type ReportedMotion as ReportedMotion,
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
  reopenForRetry,
  type PlannedRun,
  readFailedStart,
  readStopsDue,
  SCHEDULER,
  setStopCommands,
  type StopDue,
  robotsWithoutRun,
} from "./planned-runs.repository.ts";
export { closeLostRun, closeRunsOfDeletedRobots as closeRunsOfDeletedRobots, findLostRuns } from "./run-ends.repository.ts";
export { reasonText as reasonText, stoppedBy } from "./run-reasons.ts";

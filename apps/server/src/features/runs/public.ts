export {
  type ReceivedEvent,
  type ReportedMotion,
  type RecordedEvents,
  recordEvents,
  recordMotions,
} from "./reported-runs.repository.ts";
export { failPlannedRuns, findStoppedSince, insertNotStarted, openRunsOf } from "./runs.repository.ts";
/** For the scheduler. */
export {
  type FailedStart,
  findStopsDue,
  insertPlannedRuns,
  type Occurrence,
  reopenForRetry,
  type PlannedRun,
  readFailedStarts,
  readStopsDue,
  SCHEDULER,
  setStopCommands,
  type StopDue,
  robotsWithoutRun,
} from "./planned-runs.repository.ts";
export { closeLostRun, closeRunsOfDeletedRobots, findLostRuns } from "./run-ends.repository.ts";
export { endText, reasonText, type RecordedEnd, stoppedBy } from "./run-reasons.ts";
export { runRank } from "./fleet-calendar.queries.ts";
export { readRuns } from "./runs.queries.ts";

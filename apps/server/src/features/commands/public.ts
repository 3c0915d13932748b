export { commandRoutes, keyOf, pressOf } from "./commands.routes.ts";
/** `new Commands(deps, changes)` is a Service; the bridge calls `resendPending(robotIds)` when robots return. */
export { Commands } from "./commands.service.ts";
export { findRobotOf } from "./commands.queries.ts";
/** Lock order of everything that writes about robots: robot_state rows, then robots rows, then commands. */
export {
  claimAll,
  type Command,
  type CommandOf,
  type CommandTarget,
  deviceRetired,
  insertCommands,
  type LockedRobot,
  type LockOptions,
  lockRobots,
  lockTargets,
  type Press,
  readOpenCommands,
  showChange,
  withRobots,
} from "./commands.repository.ts";
/** `decideEach` decides about many robots so that one whose rows are locked delays none of the others. */
export {
  type Accepted,
  type BusyRobot,
  decideEach,
  newTurns,
  resultsOf,
  type RobotSelection,
} from "./person-orders.ts";
/** Orders for many robots inside the caller's transaction; `Commands.dispatch` sends them after the commit. */
export {
  type AcceptedOf,
  acceptOrders,
  candidateOf,
  FirstSeen,
  givenBy,
  type Order,
  refusalOf,
  type Requester,
} from "./accept-orders.ts";
export { requestForMany } from "./command-requests.repository.ts";
export { failure, refusedBy, RESULT_UNKNOWN } from "./command-answers.ts";
export { auditCommands, type Audited } from "./command-records.repository.ts";
export { answerAllPending, settleAllSuperseded, settledCounts, settleDue } from "./settle.repository.ts";
/**
 * For the bridge, inside its own transaction: live states of the current session, after they were stored, and acks with
 * the serial number of their topic.
 */
export { type LiveState, type ReceivedAck, recordAcks, settleByStates } from "./settle-by-messages.repository.ts";
/** For deleting, moving or retiring robots, under the locks on the robots. */
export {
  insertLastStop,
  type LastStop,
  readStillMoving,
  settleRemoved,
  type StillMovingRobot,
} from "./robot-removal.repository.ts";
export type { KnownFleet } from "./direct-stops.ts";
export type { KnownRobot } from "./known-robots.repository.ts";
export { publishCommandMessage, questionEnvelope, sendLastStop } from "./dispatcher.ts";

export { commandRoutes, pressOf } from "./commands.routes.ts";
/** `new Commands(deps, changes)` is a Service; the bridge calls `resendPending(robotIds)` when robots return. */
export { Commands } from "./commands.service.ts";
export { findRobotOf } from "./commands.queries.ts";
/** Lock order of everything that writes about robots: robot_state rows, then robots rows, then commands. */
export {
  claimOnce,
  type Command,
  type CommandOf,
  type CommandTarget,
  insertCommands,
  type LockedRobot,
  type LockOptions,
  lockRobots,
  lockTargets,
  type Press,
  readOpenCommands,
  showChange,
} from "./commands.repository.ts";
export type { SettingsChange } from "./accept-command.ts";
/** Orders for many robots inside the caller's transaction; `Commands.dispatch` sends them after the commit. */
export {
  type AcceptedOf,
  acceptOrders,
  candidateOf,
  FirstSeen,
  type Order,
  type OrderAccepted,
  refusalOf,
  type Requester,
} from "./accept-orders.ts";
/** Decides about many robots so that one whose rows are locked delays none of the others. */
export { decideEach, type BusyRobot, resultsOf } from "./order-many.ts";
export { failure, pendingMessages, refusedBy } from "./command-answers.ts";
export { auditCommands, type Audited } from "./command-records.repository.ts";
export { answerAllPending, settleAllSuperseded, settledCounts, settleDue } from "./settle.repository.ts";
/** For the bridge, inside its own transaction: live states of the current session, after they were stored. */
export { type LiveState, settleByStates } from "./settle-by-states.repository.ts";
/** For the bridge: acks as they came, with the serial of the topic they came on. */
export { type ReceivedAck, recordAcks } from "./record-acks.repository.ts";
/** For whoever deletes robots, moves them or cuts them off, under the locks on the robots. */
export {
  insertLastStop,
  type LastStop,
  readStillMoving,
  settleForgotten,
  settleRemoved,
  type StillMovingRobot,
} from "./robot-removal.repository.ts";
export type { KnownFleet } from "./direct-stops.ts";
export { publishCommandMessage, questionEnvelope, sendLastStop } from "./dispatcher.ts";

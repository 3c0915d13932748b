export { publishCommandMessage, questionEnvelope } from "./command-message.ts";
export { commandRoutes } from "./commands.routes.ts";
/** Lock order of everything that writes about robots: robot_state rows, then robots rows, then commands. */
export {
  type Command,
  type CommandOf,
  insertCommands,
  type LockedRobot,
  type LockOptions,
  lockRobots,
  readOpenCommands,
  showChange,
} from "./command-rows.repository.ts";
/** For the bridge, inside its own transaction: live states of the current session, after they were stored. */
export { type LiveState, settleByStates } from "./settle-by-states.repository.ts";
/** For the bridge: acks as they came, with the serial of the topic they came on. */
export { type ReceivedAck, recordAcks } from "./record-acks.repository.ts";
/** `new Commands(parts, changes)` is a Service; the bridge calls `resendPending(robotIds)` when robots return. */
export type { SettingsChange } from "./accept-settings.ts";
export { Commands } from "./commands.service.ts";
/** For a Stop of many, which names its robots also by what was last known. */
export type { KnownFleet } from "./known-fleet.ts";
/** For what commands many robots, inside its own transaction; `Commands.dispatch` sends it after the commit. */
export type { Order, OrderAccepted, Requester } from "./accept-order.ts";
/** For what commands many robots at once, so that one whose rows are held keeps back none of the others. */
export { decideEach, type HeldRobot } from "./decide-each.ts";
export { resultsOf } from "./order-each.ts";
export { type Press, pressOf } from "./press.ts";
export { FirstSeen } from "./start-guard.ts";
export { type AcceptedOf, acceptOrders } from "./accept-orders.ts";
/** For maintenance, under the locks on the robots. */
export { auditCommands, type Audited } from "./command-records.repository.ts";
export { pendingSentences } from "./command-sentences.ts";
export { findRobotOf } from "./commands.queries.ts";
export { answerAllPending, settleAllOvertaken } from "./settle.repository.ts";
/** Whether a START would be taken now, without trying it. */
export { refusalOf } from "./start-candidate.ts";
/** For the metrics of this server. */
export { settledCounts } from "./settled-counts.ts";
/** For the demo's history, which is written by what really sends and settles commands. */
export { claimOnce } from "./command-claims.repository.ts";
export { settleDue } from "./settle-due.repository.ts";
/** For who deletes robots, moves them elsewhere or cuts them off, under the locks on the robots. */
export { readStillMoving, type StillMovingRobot } from "./still-moving.repository.ts";
/** For who cuts a robot off for good. */
export { insertLastStop, type LastStop, sendLastStop } from "./last-stop.ts";
export { settleForgotten, settleRemoved } from "./settle-removed.repository.ts";

export {
  type CommandTarget,
  type ConfirmedRobot,
  confirmedRobots,
  newPress,
  newPressHeaders,
  reasonOf,
  type StartOrStop,
} from "./robot-command.ts";
export { groupOutcomeTitle, openCommandText, waitingLook } from "./command-looks.ts";
export { RobotLine, RobotResultList, useCurrentResults } from "./robot-result-list.tsx";
export { sendRobotCommand } from "./send-robot-command.ts";
export type { CommandOutcome } from "./send-robot-command.ts";
export { FleetStopButton } from "./fleet-stop-button.tsx";
export { mayMoveNow, sendFleetStop, stopFleet, stopRobots } from "./fleet-stop.ts";

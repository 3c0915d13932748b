export { IndividualRobotsTab } from "./individual-robots-tab.tsx";
export {
  awaitsFirstConnection,
  blockedReasonText,
  FIRST_CONNECTION_TEXT,
  firstConnectionLook,
  firmwareText,
  matchesFilter,
  ROBOT_FILTERS,
  robotActivityOf,
  type RobotFilter,
  robotFilterLabel,
  robotFilterOf,
} from "./robot-looks.ts";
export { RobotBatteryBadge, RobotStatusBadge, RunBar } from "./robot-badges.tsx";
export { RobotCard } from "./robot-card.tsx";
export { commandRobot, requestRobotStatus, showConfirmedCommands, stopByKey, stopKeyOf } from "./robot-calls.ts";
export { alarmOf, controllableOf } from "./robot-view.ts";
export type { RobotView } from "./robot-view.ts";
export {
  type SiteRobots,
  useOnlineRobots,
  useReportedRobotViews,
  useRobotsLive,
  useRobotsValue,
  useRobotView,
  useRobotViews,
  useSiteRobots,
} from "./use-robots.ts";
/** Site Management: what is done with robots there. */
export { DeleteRobotDialog, ManyRobotsDialog, RobotDialog } from "./form/lazy-robot-dialog.ts";
export type { ManyRobotsAction } from "./form/many-robots-dialog.tsx";

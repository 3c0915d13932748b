export { IndividualRobotsTab } from "./individual-robots-tab.tsx";
export { firmwareWords, robotActivityOf } from "./robot-activity.ts";
export { RobotBatteryBadge, RobotStatusBadge } from "./robot-badges.tsx";
export { noteCommandsDone } from "./robot-calls.ts";
export { obstacleWords } from "./robot-meaning.ts";
export { alarmOf, controllableOf } from "./robot-view.ts";
export type { RobotView } from "./robot-view.ts";
export { useReportedRobotViews, useRobotsLive, useRobotView, useRobotViews } from "./use-robot-view.ts";
export { useSiteRobots } from "./use-site-robots.ts";
export type { SiteRobots } from "./use-site-robots.ts";
/** Site Management: what is done with robots there. */
export { DeleteRobotDialog, RobotDialog } from "./form/lazy-robot-dialog.ts";
export { passesFilter, ROBOT_FILTERS, type RobotFilter, robotFilterOf, robotFilterWord } from "./robot-filter.ts";

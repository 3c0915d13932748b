export { readRobotsLive, type RobotChoice } from "./robots.queries.ts";
export { removeRobots } from "./remove-robots.writes.ts";
/** For who adds many robots at once: lock their sites, ask for conflicts, insert, and after the commit ask for status. */
export { askForStatus } from "./ask-for-status.ts";
export { insertRobots, type NewRobot, type RobotConflict, robotConflicts } from "./robot-rows.writes.ts";
export { lockSites } from "./robot-sites.queries.ts";

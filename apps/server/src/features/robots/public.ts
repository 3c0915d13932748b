export { exportRobotsTask, importRobotsTask } from "./robot-files.ts";
export { readRobotsLive, type RobotChoice } from "./robots.queries.ts";
export { removeRobots } from "./robots.repository.ts";

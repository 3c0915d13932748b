export { exportRobotsTask, importRobotsTask } from "./import-robots.ts";
export { readRobotsLive, type RobotChoice } from "./robots.queries.ts";
export { removeRobots } from "./remove-robots.repository.ts";

export { exportRobotsTask, importRobotsTask } from "./robot-files.ts";
export { readRobots, readRobotsLive, type RobotChoice } from "./robots.queries.ts";
export { removeRobots } from "./robots.repository.ts";

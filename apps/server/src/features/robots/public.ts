export { readRobotsLive, type RobotChoice } from "./robots.queries.ts";

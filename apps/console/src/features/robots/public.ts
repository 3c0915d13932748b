export { IndividualRobotsTab } from "./individual-robots-tab.tsx";
export { useRobotViews } from "./use-robot-view.ts";
export { useSiteRobots } from "./use-site-robots.ts";
export type { SiteRobots } from "./use-site-robots.ts";
export type { RobotView } from "./robot-view.ts";

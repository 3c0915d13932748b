export { GroupControlTab } from "./group-control-tab.tsx";
export { RobotGroupsCard } from "./robot-groups-card.tsx";
export { StopSiteButton } from "./stop-site-button.tsx";

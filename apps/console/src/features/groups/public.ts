export { GroupControlTab } from "./group-control-tab.tsx";
export { useSiteGroups } from "./group-calls.ts";
export { type ManyOutcome, stopAtOnce } from "./group-commands.ts";
export { StartAllDialog } from "./group-controls.tsx";
export { GroupDialog, RobotGroupsCard } from "./lazy-robot-groups.tsx";
export { StopSiteButton, useStopSite } from "./stop-site-button.tsx";

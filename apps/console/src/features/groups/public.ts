export { useSiteGroups } from "./group-calls.ts";
export { type ManyOutcome, stopAtOnce } from "./group-commands.ts";
export { GroupControlTab, GroupDialog, RobotGroupsCard, StartAllDialog } from "./lazy-groups.tsx";
export { StopSiteButton, useStopSite } from "./stop-site-button.tsx";

export { GroupControlTab } from "./group-control-tab.tsx";
export { StopSiteButton } from "./stop-site-button.tsx";

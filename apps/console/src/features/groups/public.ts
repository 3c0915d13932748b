export { GroupControlTab } from "./group-control-tab.tsx";

export { MuteControl, MutedBadge, MutesTab } from "./mute-parts.ts";

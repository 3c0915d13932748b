export { MuteButton, MuteControl, MuteDialog, MutedBadge, MutesTab } from "./mute-parts.ts";

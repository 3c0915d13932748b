export { MuteButton, MuteControl, MuteDialog, MutedBadge, MutedMark, MutesTab } from "./mute-parts.ts";

export { MuteControl, MutedBadge } from "./mute-control.tsx";
export { mutedName, mutesQuery, unmute } from "./mutes.ts";

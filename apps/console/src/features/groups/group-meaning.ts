import type { GroupObstacle } from "@suncrew/domain/groups/group-can.ts";
import type { GroupOutcome } from "@suncrew/domain/groups/group-outcome.ts";
import type { GroupStatus } from "@suncrew/domain/groups/group-status.ts";
import type { Look } from "../../ui/look.ts";
import { statusLooks } from "../../ui/status-looks.ts";
import type { StartOrStop } from "../commands/public.ts";

/** §4 Group status; standby is displayed as 'Online: n/m' in place of its label. */
export const groupStatusLook: Record<GroupStatus, Look> = {
  normal: statusLooks.normal,
  standby: statusLooks.standby,
  warning: statusLooks.warning,
};

/** Why Start All or Stop All is disabled, in words (§4 Button enabling). */
export const groupObstacleSentence: Record<GroupObstacle, string> = {
  empty: "This group has no robots.",
  "member-running": "A robot of this group is already running. Start All is possible when none is.",
  "member-may-be-moving":
    "A robot of this group is not connected and may be moving. Start All is possible once it must have stopped.",
  "none-running": "No robot of this group is running.",
  "in-progress": "A command of this group is in progress. Wait for the robots' answers.",
};

/** What Stop All does for robots that are not connected. */
export function keptStopText(lostCount: number): string {
  return lostCount === 1
    ? "1 robot is not connected: Stop All is kept for it and sent as soon as it is back."
    : `${lostCount} robots are not connected: Stop All is kept for them and sent as soon as each is back.`;
}

/** While the robots have still to tell how they are. */
export const STILL_ASKING = "The robots are still being asked for their status.";

/** §4 Group action outcome: the titles of its toasts. */
export const groupOutcomeTitle: Record<GroupOutcome, string> = {
  all: "Group Action Successful",
  some: "Group Action Partial Success",
  none: "Group Action Failed",
};

interface VerbWords {
  /** As in "3 robots started". */
  readonly done: string;
  /** As in "Starting 3 robots". */
  readonly doing: string;
  /** As in "Start 3 robots". */
  readonly deed: string;
}

export const verbWords: Record<StartOrStop, VerbWords> = {
  START: { done: "started", doing: "Starting", deed: "Start" },
  STOP: { done: "stopped", doing: "Stopping", deed: "Stop" },
};

/** "1 robot", "3 robots". */
export function robotsText(count: number): string {
  return count === 1 ? "1 robot" : `${count} robots`;
}

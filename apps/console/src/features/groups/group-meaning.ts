import type { GroupObstacle, GroupOutcome, GroupStatus } from "@suncrew/domain/groups/groups.ts";
import type { Look } from "../../ui/look.ts";
import { statusLooks } from "../../ui/status-looks.ts";
import type { StartOrStop } from "../commands/public.ts";
import type { RobotView } from "../robots/public.ts";

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

/** What of a member its progress is read from. */
export type CommandedRobot = Pick<RobotView, "id" | "status" | "motion" | "openCommand" | "sending">;

/** True once a robot shows what was asked of it and nothing of it is open any more. */
export function showsCommand(robot: Pick<CommandedRobot, "motion" | "openCommand">, verb: StartOrStop): boolean {
  return robot.openCommand === null && robot.motion === (verb === "START" ? "MOVING" : "STOPPED");
}

/** A START or STOP is on its way to it, whoever sent it; one that waits for its return is not. */
function isUnderWay({ openCommand }: CommandedRobot, verb: StartOrStop): boolean {
  return openCommand !== null && openCommand.verb === verb && !openCommand.pending;
}

/** What a group is doing, in one line; `ordered` is this browser's own command with the robots it is for. */
export function groupActivityOf(
  members: readonly CommandedRobot[],
  ordered: { readonly verb: StartOrStop; readonly robotIds: readonly number[] } | null,
): string {
  if (ordered !== null) {
    const wanted = new Set(ordered.robotIds);
    const confirmed = members.filter((robot) => wanted.has(robot.id) && showsCommand(robot, ordered.verb)).length;
    return `${verbWords[ordered.verb].doing} ${robotsText(wanted.size)}: ${confirmed} confirmed`;
  }
  for (const verb of ["STOP", "START"] as const) {
    const count = members.filter((robot) => isUnderWay(robot, verb)).length;
    if (count > 0) return `${verbWords[verb].doing} ${robotsText(count)}`;
  }
  const doing = (motion: CommandedRobot["motion"]) => members.filter((robot) => robot.motion === motion).length;
  const cleaning = doing("MOVING");
  const mayBeMoving = doing("MAY_BE_MOVING");
  const mustStand = doing("MUST_HAVE_STOPPED");
  return [
    ...(cleaning > 0 ? [`${cleaning} of ${members.length} cleaning`] : []),
    // Protocol rule 13: nobody knows that none is cleaning where one was lost while it did.
    ...(mayBeMoving > 0 ? [`${mayBeMoving} may be moving`] : []),
    ...(cleaning + mayBeMoving === 0 ? ["None is cleaning"] : []),
    ...(mustStand > 0 ? [`${mustStand} must have stopped`] : []),
  ].join(", ");
}

/** §4 Button enabling: a START of the group is on its way, so that Stop All is taken although nobody moves yet. */
export function isStartUnderWay(members: readonly CommandedRobot[]): boolean {
  return members.some((robot) => robot.sending === "START" || isUnderWay(robot, "START"));
}

/** A member has a command whose answer is awaited; a Stop that waits for a robot's return holds up nobody. */
export function isCommandUnderWay(members: readonly CommandedRobot[]): boolean {
  return members.some((robot) => robot.sending !== null || (robot.openCommand !== null && !robot.openCommand.pending));
}

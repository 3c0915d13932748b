import { type GroupBlockedReason, type GroupStatus, robotCountText } from "@suncrew/domain/groups/groups.ts";
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

/** Why Start All or Stop All is disabled (§4 Button enabling). */
export const groupBlockedReasonText: Record<GroupBlockedReason, string> = {
  empty: "This group has no robots.",
  "member-running": "A robot of this group is already running. Start All is possible when none is.",
  "member-may-be-moving":
    "A robot of this group is not connected and may be moving. Start All is possible once it must have stopped.",
  "none-running": "No robot of this group is running.",
  weather: "The weather at the site passes one of its limits, or is not known.",
  "in-progress": "A command of this group is in progress. Wait for the robots' answers.",
};

/** What Stop All does for robots that are not connected. */
export function pendingStopText(lostCount: number): string {
  return lostCount === 1
    ? "1 robot is not connected: Stop All is stored for it and sent as soon as it is back."
    : `${lostCount} robots are not connected: Stop All is stored for them and sent as soon as each is back.`;
}

/** While the robots have not reported yet. */
export const STATUS_UNKNOWN_TEXT = "The robots have not reported their status yet.";

interface VerbTexts {
  /** As in "3 robots started". */
  readonly done: string;
  /** As in "Starting 3 robots". */
  readonly doing: string;
  /** As in "Start 3 robots". */
  readonly imperative: string;
}

export const verbTexts: Record<StartOrStop, VerbTexts> = {
  START: { done: "started", doing: "Starting", imperative: "Start" },
  STOP: { done: "stopped", doing: "Stopping", imperative: "Stop" },
};

/** The part of a member from which its progress is read. */
export type CommandedRobot = Pick<RobotView, "id" | "status" | "motion" | "openCommand" | "sending">;

/** True once a robot shows the commanded motion and no command is open. */
export function showsCommand(robot: Pick<CommandedRobot, "motion" | "openCommand">, verb: StartOrStop): boolean {
  return robot.openCommand === null && robot.motion === (verb === "START" ? "MOVING" : "STOPPED");
}

/** A START or STOP is in flight, whoever sent it; one pending until the robot is back does not count. */
function isUnderWay({ openCommand }: CommandedRobot, verb: StartOrStop): boolean {
  return openCommand !== null && openCommand.verb === verb && !openCommand.pending;
}

/** What a group is doing, in one line; `own` is this browser's own command with the robots it is for. */
export function groupActivityOf(
  members: readonly CommandedRobot[],
  own: { readonly verb: StartOrStop; readonly robotIds: readonly number[] } | null,
): string {
  if (own !== null) {
    const commanded = new Set(own.robotIds);
    const confirmed = members.filter((robot) => commanded.has(robot.id) && showsCommand(robot, own.verb)).length;
    return `${verbTexts[own.verb].doing} ${robotCountText(commanded.size)}: ${confirmed} confirmed`;
  }
  for (const verb of ["STOP", "START"] as const) {
    const count = members.filter((robot) => isUnderWay(robot, verb)).length;
    if (count > 0) return `${verbTexts[verb].doing} ${robotCountText(count)}`;
  }
  const doing = (motion: CommandedRobot["motion"]) => members.filter((robot) => robot.motion === motion).length;
  const cleaning = doing("MOVING");
  const mayBeMoving = doing("MAY_BE_MOVING");
  const mustHaveStopped = doing("MUST_HAVE_STOPPED");
  return [
    ...(cleaning > 0 ? [`${cleaning} of ${members.length} cleaning`] : []),
    // Protocol rule 13: a robot lost while moving may still be cleaning, so "None" would be a guess.
    ...(mayBeMoving > 0 ? [`${mayBeMoving} may be moving`] : []),
    ...(cleaning + mayBeMoving === 0 ? ["None cleaning"] : []),
    ...(mustHaveStopped > 0 ? [`${mustHaveStopped} must have stopped`] : []),
  ].join(", ");
}

/** §4 Button enabling: a START of the group is in flight, so Stop All is enabled although no robot moves yet. */
export function isStartUnderWay(members: readonly CommandedRobot[]): boolean {
  return members.some((robot) => robot.sending === "START" || isUnderWay(robot, "START"));
}

/** A member has an unanswered command; a Stop pending until a robot is back blocks nothing. */
export function isCommandUnderWay(members: readonly CommandedRobot[]): boolean {
  return members.some((robot) => robot.sending !== null || (robot.openCommand !== null && !robot.openCommand.pending));
}

/** Words at the end of a site's name that say only what it is. */
const GENERIC = /^(solar|park|ultra|mega|power|plant|project|farm|station|pv)$/i;
const SHORT_NAME_MAX = 24;

/** What people call a site: its name without the words that most sites have at the end, whole words of up to 24 characters. */
export function shortSiteName(name: string): string {
  const words = name.trim().split(/\s+/);
  const end = words.findLastIndex((word) => !GENERIC.test(word)) + 1;
  const [first = "", ...rest] = end === 0 ? words : words.slice(0, end);
  if (first.length > SHORT_NAME_MAX) return `${first.slice(0, SHORT_NAME_MAX - 3)}...`;
  let short = first;
  for (const word of rest) {
    if (short.length + 1 + word.length > SHORT_NAME_MAX) break;
    short += ` ${word}`;
  }
  return short;
}

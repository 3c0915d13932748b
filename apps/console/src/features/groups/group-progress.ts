import type { StartOrStop } from "../commands/public.ts";
import type { RobotView } from "../robots/public.ts";
import { robotsText, verbWords } from "./group-meaning.ts";

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
  const cleaning = members.filter(({ motion, status }) => motion === "MOVING" && status !== "offline").length;
  return cleaning === 0 ? "None is cleaning" : `${cleaning} of ${members.length} cleaning`;
}

/** §4 Button enabling: a START of the group is on its way, so that Stop All is taken although nobody moves yet. */
export function isStartUnderWay(members: readonly CommandedRobot[]): boolean {
  return members.some((robot) => robot.sending === "START" || isUnderWay(robot, "START"));
}

/** A member has a command whose answer is awaited; a Stop that waits for a robot's return holds up nobody. */
export function isCommandUnderWay(members: readonly CommandedRobot[]): boolean {
  return members.some((robot) => robot.sending !== null || (robot.openCommand !== null && !robot.openCommand.pending));
}

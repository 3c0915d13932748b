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

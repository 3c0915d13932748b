import type { Motion, RobotStatus } from "@suncrew/contract/robots/robots.ts";

export interface GroupMember {
  readonly status: RobotStatus;
  readonly motion: Motion | null;
}

/** Why a group's button is disabled, as meaning. */
export type GroupObstacle = "empty" | "member-running" | "none-running" | "in-progress";

/**
 * §4 Button enabling: Start All is disabled if any member is normal, Stop All if no member is. Stop All is also
 * possible whenever a member moves, whatever its status says, and while a start of the group is under way.
 */
export const groupCan = {
  startAll(members: readonly GroupMember[], commandInProgress: boolean): GroupObstacle | null {
    if (members.length === 0) return "empty";
    if (commandInProgress) return "in-progress";
    return members.some(isRunning) ? "member-running" : null;
  },
  stopAll(members: readonly GroupMember[], startInProgress: boolean): GroupObstacle | null {
    if (members.length === 0) return "empty";
    return startInProgress || members.some(isRunning) ? null : "none-running";
  },
};

function isRunning({ status, motion }: GroupMember): boolean {
  return status === "normal" || motion === "MOVING";
}

import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import { type KnownMotion, wasSeenMoving } from "../robots/lost-while-moving.ts";

export interface GroupMember {
  readonly status: RobotStatus;
  readonly motion: KnownMotion | null;
}

/** Why a group's button is disabled, as meaning. */
export type GroupObstacle = "empty" | "member-running" | "member-may-be-moving" | "none-running" | "in-progress";

/**
 * §4 Button enabling: Start All is disabled if any member is normal, Stop All if no member is. Stop All is also
 * possible whenever a member moves or was lost while it moved (protocol rule 13), whatever its status says, and while a
 * start of the group is under way.
 */
export const groupCan = {
  startAll(members: readonly GroupMember[], commandInProgress: boolean): GroupObstacle | null {
    if (members.length === 0) return "empty";
    if (commandInProgress) return "in-progress";
    if (members.some(({ status, motion }) => status === "normal" || motion === "MOVING")) return "member-running";
    return members.some(({ motion }) => motion === "MAY_BE_MOVING") ? "member-may-be-moving" : null;
  },
  stopAll(members: readonly GroupMember[], startInProgress: boolean): GroupObstacle | null {
    if (members.length === 0) return "empty";
    const isAnyToStop = members.some(({ status, motion }) => status === "normal" || wasSeenMoving(motion));
    return startInProgress || isAnyToStop ? null : "none-running";
  },
};

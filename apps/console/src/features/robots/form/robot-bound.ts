import type { RobotLive } from "@suncrew/contract/robots/robots.ts";

/** Why the serial number or the site of a robot must stay for now; null where it may be changed. */
export interface BoundReason {
  readonly serialNumber: string | null;
  readonly siteId: string | null;
}

/** The server holds the same rules, under the lock on the robot; `robot` is null for a new one. */
export function boundReason(
  robot: Pick<RobotLive, "motion" | "lost_while_moving" | "online" | "group_id" | "operating_mode"> | null,
): BoundReason {
  if (robot === null) return { serialNumber: null, siteId: null };
  const both =
    robot.group_id !== null
      ? "Cannot be changed while the robot is in a group."
      : robot.online && robot.motion === "MOVING"
        ? "Cannot be changed while the robot is cleaning."
        : robot.lost_while_moving?.state === "MAY_BE_MOVING"
          ? "Cannot be changed while the robot may be moving."
          : null;
  const isLocked = robot.operating_mode === "maintenance";
  return {
    serialNumber: both ?? (isLocked ? "Cannot be changed while the robot is in maintenance." : null),
    siteId: both,
  };
}

/**
 * Why a robot cannot be deleted now, as far as the console knows; null where nothing speaks against it. The server knows
 * more, such as a Stop that is not confirmed: it decides.
 */
export function deleteObstacle(
  robot: Pick<RobotLive, "motion" | "lost_while_moving" | "online" | "group_id" | "serial_number">,
  groupName: string | null,
): string | null {
  const who = `Robot ${robot.serial_number}`;
  const reasons = [
    robot.online && robot.motion === "MOVING" && `${who} is cleaning. Stop it first.`,
    robot.lost_while_moving?.state === "MAY_BE_MOVING" &&
      `${who} was lost while it was cleaning and may be moving. Please try again once it is back or must have stopped.`,
    robot.group_id !== null &&
      `${who} is in ${groupName === null ? "a group" : `the group "${groupName}"`}. Take it out of the group first.`,
  ].filter((reason) => reason !== false);
  return reasons.length === 0 ? null : reasons.join(" ");
}

import type { Role } from "@suncrew/contract/auth/auth.ts";
import type { OperatingMode, RobotStatus } from "@suncrew/contract/robots/robots.ts";
import { may } from "../auth/permissions.ts";
import { type KnownMotion, mayMove, wasSeenMoving } from "./lost-while-moving.ts";

/** What the buttons of a robot card look at. */
export interface ControllableRobot {
  readonly status: RobotStatus;
  readonly operatingMode: OperatingMode;
  readonly motion: KnownMotion | null;
  /** A command of this robot is under way. */
  readonly commandInProgress: boolean;
  /** A START is under way, or anything but a STOP while the robot may move: a STOP is taken over it (protocol rule 3). */
  readonly stopTakesOver?: boolean;
  /** It was offered new firmware and has not shown it yet (protocol rule 13). */
  readonly installing?: boolean;
  /** The values shown are the demo's simulated fallback. */
  readonly isMock: boolean;
}

/** Why a button is disabled, as meaning; null where it is enabled. */
export type BlockedReason =
  | "maintenance"
  | "installing"
  | "in-progress"
  | "running"
  | "idle"
  | "offline"
  | "may-be-moving"
  | "mock"
  | "not-idle"
  | "role";

function commonObstacle(robot: ControllableRobot): BlockedReason | null {
  if (robot.operatingMode === "maintenance") return "maintenance";
  if (robot.commandInProgress) return "in-progress";
  if (robot.isMock) return "mock";
  return robot.status === "offline" ? "offline" : null;
}

/**
 * §4 Button enabling. Each answers what stands in the way, or null. Start is also refused while the robot
 * moves and Stop taken whenever it moves, whatever its status says. One that was lost while it moved takes a Stop as
 * well, which is kept until it returns (protocol rule 13).
 */
export const robotCan = {
  start(robot: ControllableRobot): BlockedReason | null {
    if (robot.installing === true && robot.operatingMode !== "maintenance") return "installing";
    const obstacle = commonObstacle(robot) ?? (robot.status === "normal" || mayMove(robot.motion) ? "running" : null);
    // Says more than that it is offline or did not answer.
    const isSeen = robot.motion !== "MAY_BE_MOVING" || obstacle === "maintenance" || obstacle === "in-progress";
    return isSeen ? obstacle : "may-be-moving";
  },
  stop(robot: ControllableRobot): BlockedReason | null {
    const isLost = robot.motion === "MAY_BE_MOVING" || robot.motion === "MUST_HAVE_STOPPED";
    const stoppable: ControllableRobot = isLost ? { ...robot, status: "normal", isMock: false } : robot;
    if (robot.commandInProgress && robot.stopTakesOver === true) {
      return commonObstacle({ ...stoppable, commandInProgress: false });
    }
    return commonObstacle(stoppable) ?? (stoppable.status === "idle" && !wasSeenMoving(robot.motion) ? "idle" : null);
  },
  toggleDirection(robot: ControllableRobot): BlockedReason | null {
    if (robot.operatingMode === "maintenance") return "maintenance";
    return robot.status === "offline" ? "offline" : null;
  },
  /** The settings button is absent, not disabled, where this answers an obstacle. */
  changeSettings(robot: ControllableRobot, role: Role | null): BlockedReason | null {
    if (!may(role, "changeMotorSpeeds")) return "role";
    return robot.status === "idle" || robot.status === "normal" ? null : "not-idle";
  },
};

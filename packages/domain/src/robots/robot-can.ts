import type { Role } from "@suncrew/contract/auth/auth.ts";
import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { OperatingMode } from "@suncrew/contract/robots/robot-mode.ts";
import { may } from "../auth/abilities.ts";
import { type KnownMotion, mayMove, wasSeenMoving } from "./lost-while-moving.ts";

/** What the buttons of a robot card depend on. */
export interface ControllableRobot {
  readonly status: RobotStatus;
  readonly operatingMode: OperatingMode;
  readonly motion: KnownMotion | null;
  /** A command of this robot is in progress. */
  readonly commandInProgress: boolean;
  /** A START is in progress, or anything but a STOP while the robot may move: a STOP preempts it (protocol rule 3). */
  readonly stopTakesOver?: boolean;
  /** It has a firmware offer and does not run the new version yet (protocol rule 13). */
  readonly installing?: boolean;
  /** The wind and rain guard of its site lets no robot start. */
  readonly inBadWeather?: boolean;
  /** The values shown are the demo's simulated fallback. */
  readonly isMock: boolean;
}

/** Why a button is disabled. */
export type BlockedReason =
  | "maintenance"
  | "installing"
  | "weather"
  | "in-progress"
  | "running"
  | "idle"
  | "offline"
  | "may-be-moving"
  | "mock"
  | "not-idle"
  | "role";

function commonBlockedReason(robot: ControllableRobot): BlockedReason | null {
  if (robot.operatingMode === "maintenance") return "maintenance";
  if (robot.commandInProgress) return "in-progress";
  if (robot.isMock) return "mock";
  return robot.status === "offline" ? "offline" : null;
}

/**
 * §4 Button enabling. Each returns what blocks the button, or null. Regardless of status, a moving robot cannot be started
 * and can always be stopped. A robot lost while moving can be stopped too: the Stop is stored until it returns (protocol
 * rule 13).
 */
export const robotCan = {
  start(robot: ControllableRobot): BlockedReason | null {
    if (robot.installing === true && robot.operatingMode !== "maintenance") return "installing";
    const blockedReason =
      commonBlockedReason(robot) ??
      (robot.status === "normal" || mayMove(robot.motion) ? "running" : null) ??
      (robot.inBadWeather === true ? "weather" : null);
    // More specific than offline or a mock value.
    const isSeen =
      robot.motion !== "MAY_BE_MOVING" || blockedReason === "maintenance" || blockedReason === "in-progress";
    return isSeen ? blockedReason : "may-be-moving";
  },
  stop(robot: ControllableRobot): BlockedReason | null {
    const isLost = robot.motion === "MAY_BE_MOVING" || robot.motion === "MUST_HAVE_STOPPED";
    const stoppable: ControllableRobot = isLost ? { ...robot, status: "normal", isMock: false } : robot;
    if (robot.commandInProgress && robot.stopTakesOver === true) {
      return commonBlockedReason({ ...stoppable, commandInProgress: false });
    }
    return (
      commonBlockedReason(stoppable) ?? (stoppable.status === "idle" && !wasSeenMoving(robot.motion) ? "idle" : null)
    );
  },
  toggleDirection(robot: ControllableRobot): BlockedReason | null {
    if (robot.operatingMode === "maintenance") return "maintenance";
    return robot.status === "offline" ? "offline" : null;
  },
  /** When blocked, the settings button is absent, not disabled. */
  changeSettings(robot: ControllableRobot, role: Role | null): BlockedReason | null {
    if (!may(role, "changeMotorSpeeds")) return "role";
    return robot.status === "idle" || robot.status === "normal" ? null : "not-idle";
  },
};

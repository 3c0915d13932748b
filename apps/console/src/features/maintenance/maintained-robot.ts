import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import type { OperatingMode } from "@suncrew/contract/robots/robot-mode.ts";
import { type KnownMotion, knownMotionOf } from "@suncrew/domain/robots/lost-while-moving.ts";

/** The part of a robot that its maintenance lock depends on. */
export interface MaintainedRobot {
  readonly id: number;
  readonly siteId: number;
  readonly serialNumber: string;
  readonly mode: OperatingMode;
  readonly motion: KnownMotion | null;
  /** Who locked it, why and since when; null if nobody did. */
  readonly maintenance: RobotLive["maintenance"];
}

/** From a robot in the stream. */
export function maintainedRobotOf(robot: RobotLive): MaintainedRobot {
  return {
    id: robot.robot_id,
    siteId: robot.site_id,
    serialNumber: robot.serial_number,
    mode: robot.operating_mode,
    motion: knownMotionOf(robot.motion, robot.lost_while_moving),
    maintenance: robot.maintenance,
  };
}

export function isLocked(robot: MaintainedRobot): boolean {
  return robot.mode === "maintenance";
}

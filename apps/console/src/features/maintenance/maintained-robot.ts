import type { OperatingMode, RobotLive } from "@suncrew/contract/robots/robots.ts";
import { type KnownMotion, knownMotionOf } from "@suncrew/domain/robots/lost-while-moving.ts";

/** What of a robot its lock is about. */
export interface MaintainedRobot {
  readonly id: number;
  readonly siteId: number;
  readonly serialNumber: string;
  readonly mode: OperatingMode;
  readonly motion: KnownMotion | null;
  /** Who locked it, why and since when; null where nobody did. */
  readonly maintenance: RobotLive["maintenance"];
}

/** The members of a group, as the stream tells robots. */
export function maintainedOf(robot: RobotLive): MaintainedRobot {
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

import type { Motion, OperatingMode, RobotLive } from "@suncrew/contract/robots/robots.ts";

/** What of a robot its lock is about. */
export interface MaintainedRobot {
  readonly id: number;
  readonly serialNumber: string;
  readonly mode: OperatingMode;
  readonly motion: Motion | null;
  /** Who locked it, why and since when; null where nobody did. */
  readonly maintenance: RobotLive["maintenance"];
}

/** The members of a group, as the stream tells robots. */
export function maintainedOf(robot: RobotLive): MaintainedRobot {
  return {
    id: robot.robot_id,
    serialNumber: robot.serial_number,
    mode: robot.operating_mode,
    motion: robot.motion,
    maintenance: robot.maintenance,
  };
}

export function isLocked(robot: MaintainedRobot): boolean {
  return robot.mode === "maintenance";
}

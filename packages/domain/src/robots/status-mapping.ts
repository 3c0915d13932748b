import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { OperatingMode } from "@suncrew/contract/robots/robot-mode.ts";

const byDeviceText: ReadonlyMap<string, RobotStatus> = new Map([
  ["start", "normal"],
  ["stop", "idle"],
  ["warning", "warning"],
  ["offline", "offline"],
  ["fault", "critical"],
  ["error", "critical"],
]);

/** §4 Robot live status: maps the device's text, case-insensitively, to a status. Unknown text is normal. */
export function mapDeviceStatus(deviceStatus: string): RobotStatus {
  return byDeviceText.get(deviceStatus.trim().toLowerCase()) ?? "normal";
}

/** False for text outside the device protocol, which also raises an alert. */
export function isKnownDeviceStatus(deviceStatus: string): boolean {
  return byDeviceText.has(deviceStatus.trim().toLowerCase());
}

export interface ReportedRobot {
  /** Reachable by the presence rules. */
  readonly online: boolean;
  readonly operatingMode: OperatingMode;
  /** The device's last text; null before its first report. */
  readonly deviceStatus: string | null;
}

/** The status shown and counted: offline while unreachable, unreported or in maintenance, otherwise the mapped text. */
export function robotStatusOf(robot: ReportedRobot): RobotStatus {
  if (!robot.online || robot.deviceStatus === null || robot.operatingMode === "maintenance") return "offline";
  return mapDeviceStatus(robot.deviceStatus);
}

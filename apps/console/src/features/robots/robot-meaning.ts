import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import type { BatteryLevel } from "@suncrew/domain/robots/battery.ts";
import type { LostState } from "@suncrew/domain/robots/lost-while-moving.ts";
import type { BlockedReason } from "@suncrew/domain/robots/robot-can.ts";
import { IconTool } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import { statusLooks } from "../../ui/status-looks.ts";
import type { RobotView } from "./robot-view.ts";

/** §3 Robot status. */
export const robotStatusLook: Record<RobotStatus, Look> = {
  normal: statusLooks.normal,
  idle: statusLooks.idle,
  warning: statusLooks.warning,
  critical: statusLooks.critical,
  standby: statusLooks.standby,
  offline: statusLooks.offline,
};

/** Beside the status of a robot that was lost while it moved (protocol rule 13). */
export const lostLook: Record<LostState, Look> = {
  MAY_BE_MOVING: statusLooks.mayBeMoving,
  MUST_HAVE_STOPPED: { ...statusLooks.mayBeMoving, label: "Must have stopped", tone: "fair" },
};

/** What Stop does for a robot that is not connected. */
export const KEPT_STOP = "Not connected. A Stop is kept and sent as soon as the robot is back.";

export const maintenanceLook: Look = { label: "Maintenance", tone: "plain", icon: IconTool };

/** AUTO where the robot is in any group (§2). */
export const autoLook: Look = { label: "AUTO", tone: "plain" };
export const manualLook: Look = { label: "MANUAL", tone: "plain" };

/** The badge until the first live snapshot or status answer (§2 CHECKING...). */
export const CHECKING_LABEL = "CHECKING...";

/** §9 Battery colour: green-lime, yellow, red. */
export const batteryColour: Record<BatteryLevel, string> = {
  good: "var(--sc-battery-good)",
  fair: "var(--sc-battery-fair)",
  poor: "var(--sc-battery-poor)",
};

/** The same without colour, for a screen reader. */
export const batteryWord: Record<BatteryLevel, string> = { good: "good", fair: "getting low", poor: "low" };

type ObstacleSentence = (serialNumber: string) => string;

/** Why a button is disabled, in words (§4 Button enabling). */
const obstacleSentence: Record<BlockedReason, ObstacleSentence> = {
  maintenance: (serial) => `Robot ${serial} is in maintenance.`,
  installing: (serial) => `Robot ${serial} is installing firmware.`,
  "in-progress": () => "A command is in progress. Wait for the robot's answer.",
  running: (serial) => `Robot ${serial} is already running.`,
  idle: (serial) => `Robot ${serial} is already standing still.`,
  offline: (serial) => `Robot ${serial} is offline.`,
  "may-be-moving": (serial) => `Robot ${serial} is not connected and may be moving.`,
  mock: () => "These values are simulated. The robot did not answer.",
  "not-idle": () => "Settings can be changed while the robot is idle or normal.",
  role: () => "Only Super Admins can change motor speeds.",
};

/** The same for one robot: one that nothing is known of yet is not told as offline. */
export function obstacleWords(robot: Pick<RobotView, "serialNumber" | "isChecking">, obstacle: BlockedReason): string {
  if (obstacle === "offline" && robot.isChecking) {
    return `Robot ${robot.serialNumber} is still being asked for its status.`;
  }
  return obstacleSentence[obstacle](robot.serialNumber);
}

import type { DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import type { ServerAlertCode } from "./server-alerts.ts";

/** Below this a battery is low, in percent. */
export const LOW_BATTERY_PERCENT = 20;
/** Below this it is nearly empty. */
export const NEARLY_EMPTY_PERCENT = 10;
/** From here on it is low no more, so that a reading that sways does not raise it again and again. */
export const LOW_BATTERY_CLEARED_PERCENT = 25;

const code = "LOW_BATTERY" satisfies ServerAlertCode;

export interface BatteryReading {
  readonly batteryPercent: number;
  readonly charging: boolean;
  /** The alerts that the robot itself lists. */
  readonly listed: readonly Pick<DeviceAlert, "code">[];
}

/**
 * What a reading says about a low battery: it is raised, it is over, or (between both) it stays as it is. A robot that
 * tells of it by itself is believed, so that nobody reads the same twice.
 */
export function lowBattery({ batteryPercent, charging, listed }: BatteryReading): DeviceAlert | "over" | "stays" {
  if (listed.some((alert) => alert.code === code)) return "over";
  if (batteryPercent < NEARLY_EMPTY_PERCENT) {
    return { code, severity: "CRITICAL", text: `The battery is nearly empty, below ${NEARLY_EMPTY_PERCENT} %.` };
  }
  if (batteryPercent < LOW_BATTERY_PERCENT) {
    return { code, severity: "WARNING", text: `The battery is low, below ${LOW_BATTERY_PERCENT} %.` };
  }
  return charging || batteryPercent >= LOW_BATTERY_CLEARED_PERCENT ? "over" : "stays";
}

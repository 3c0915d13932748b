import type { DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import { type ServerAlert, serverAlert, type ServerAlertCode } from "./server-alerts.ts";

/** Below this, in percent, a battery is low. */
export const LOW_BATTERY_PERCENT = 20;
/** Below this it is nearly empty. */
const NEARLY_EMPTY_PERCENT = 10;
/** Hysteresis: above this it is no longer low, so that a fluctuating reading does not raise it repeatedly. */
const LOW_BATTERY_CLEARED_PERCENT = 25;

const code = "LOW_BATTERY" satisfies ServerAlertCode;

interface BatteryReading {
  readonly batteryPercent: number;
  readonly charging: boolean;
  /** The alerts that the robot itself lists. */
  readonly listed: readonly Pick<DeviceAlert, "code">[];
}

/**
 * What a reading means for the low-battery alert: raise it, clear it, or (between the two limits) keep it as it is. A
 * robot that reports it itself is trusted, so that nobody reads it twice.
 */
export function lowBattery({ batteryPercent, charging, listed }: BatteryReading): ServerAlert | "over" | "stays" {
  if (listed.some((alert) => alert.code === code)) return "over";
  if (batteryPercent < NEARLY_EMPTY_PERCENT) {
    return serverAlert(code, "CRITICAL", { below: "nearly empty", percent: NEARLY_EMPTY_PERCENT });
  }
  if (batteryPercent < LOW_BATTERY_PERCENT) {
    return serverAlert(code, "WARNING", { below: "low", percent: LOW_BATTERY_PERCENT });
  }
  return charging || batteryPercent >= LOW_BATTERY_CLEARED_PERCENT ? "over" : "stays";
}

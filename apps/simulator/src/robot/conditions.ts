import type { CommandVerb, DeviceAlert, RejectCode } from "@suncrew/contract/devices/messages.ts";

/**
 * `refuse`: the offer is rejected. `download` breaks off, `hash` does not match, `slow` takes long. `install` fails and
 * the old version remains; `silent`: the robot hangs during installation and sends nothing more; `roll-back`: it reports
 * an installation and starts with the old version.
 */
export const firmwareFaults = ["refuse", "download", "hash", "slow", "install", "silent", "roll-back"] as const;
export interface FirmwareFault {
  readonly what: (typeof firmwareFaults)[number];
  /** Of a slow download. */
  readonly seconds: number;
}

/** What is wrong with the robot itself, by its injected faults. */
export interface Conditions {
  /** Cannot move until cleared. */
  readonly jammed: boolean;
  /** The charger has failed: the battery stays at this percentage, or below. */
  readonly failedChargerPercent: number | null;
  /** The text of a warning that does not keep the robot from cleaning. */
  readonly warning: string | null;
  /** A status text reported whatever the true condition. */
  readonly oddStatus: string | null;
  /** What goes wrong with the next firmware. */
  readonly firmware: FirmwareFault | null;
  readonly refuses: { readonly code: RejectCode; readonly verbs: readonly CommandVerb[] } | null;
}

export const healthyConditions: Conditions = {
  jammed: false,
  failedChargerPercent: null,
  warning: null,
  oddStatus: null,
  firmware: null,
  refuses: null,
};

/** Below this a battery is low; the alert clears again at `LOW_CLEARED`. */
const LOW_BATTERY = 20;
const LOW_CLEARED = 25;
/** A START needs this much. */
export const START_BATTERY = 15;
/** A cleaning robot stops itself here, with enough left to reach its dock. */
export const EMPTY_BATTERY = 10;

/** Whether the battery counts as low, with hysteresis: `wasLow` says whether it did before. */
export function isBatteryLow(battery: number, wasLow: boolean): boolean {
  return battery < (wasLow ? LOW_CLEARED : LOW_BATTERY);
}

export function alertsOf(conditions: Conditions, batteryLow: boolean): DeviceAlert[] {
  const alerts: DeviceAlert[] = [];
  if (conditions.jammed) {
    alerts.push({ code: "JAMMED", severity: "CRITICAL", text: "The brush is jammed and the robot has stopped." });
  }
  if (batteryLow) alerts.push({ code: "LOW_BATTERY", severity: "WARNING", text: "The battery is low." });
  if (conditions.warning !== null) {
    alerts.push({ code: "CHECK_NEEDED", severity: "WARNING", text: conditions.warning });
  }
  return alerts;
}

/** The device's own status text: the worst alert wins over the motion. */
export function statusTextOf(conditions: Conditions, alerts: readonly DeviceAlert[], moving: boolean): string {
  if (conditions.oddStatus !== null) return conditions.oddStatus;
  if (alerts.some((alert) => alert.severity === "CRITICAL")) return "fault";
  if (alerts.some((alert) => alert.severity === "WARNING")) return "warning";
  return moving ? "start" : "stop";
}

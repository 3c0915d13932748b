import type { DeviceAlert, StateMessage } from "@suncrew/contract/devices/messages.ts";
import { lowBattery } from "@suncrew/domain/alerts/low-battery.ts";
import {
  clockSkewAlert,
  type ServerAlertCode,
  tooManyMessagesAlert,
  unknownStatusAlert,
} from "@suncrew/domain/alerts/server-alerts.ts";
import { CLOCK_SKEW_MS } from "@suncrew/domain/commands/limits.ts";
import { isKnownDeviceStatus } from "@suncrew/domain/robots/status-mapping.ts";
import type { StandingAlerts } from "../alerts/public.ts";
import type { StateRow } from "./presence.ts";

/**
 * What holds by a robot's newest state: the alerts it lists, and those the server sees in it. The server's come first,
 * for a robot that floods has alerts for a while only.
 */
export function alertsOf(row: StateRow, newest: StateMessage, isFlooding: boolean): StandingAlerts[] {
  const robot = { robotId: row.robot_id, siteId: row.site_id, at: row.received_at ?? new Date(newest.ts) };
  const { battery: batteryPercent, charging, alerts: listed } = newest;
  const battery = lowBattery({ batteryPercent, charging, listed });
  const alerts = [...clockAlert(row), ...statusAlert(newest.status), ...(typeof battery === "string" ? [] : [battery])];
  if (isFlooding) alerts.push(tooManyMessagesAlert());
  const clears: ServerAlertCode[] = ["CLOCK_SKEW", "UNKNOWN_STATUS", "MESSAGES_LOST", "TOO_MANY_MESSAGES"];
  if (battery !== "stays") clears.push("LOW_BATTERY");
  // A retained state tells how the robot was, not that it is there.
  if (row.online) clears.push("OFFLINE_TOO_LONG");
  // That it stands, a retained state tells as well.
  if (row.online || newest.motion === "STOPPED") clears.push("LOST_WHILE_MOVING");
  return [
    { ...robot, source: "SERVER", alerts, clears },
    { ...robot, source: "ROBOT", alerts: listed, clears: "all" },
  ];
}

/** Of a robot that floods with all but states. */
export function floodAlertOf({ robot_id: robotId, site_id: siteId }: StateRow, at: Date): StandingAlerts {
  return { robotId, siteId, source: "SERVER", alerts: [tooManyMessagesAlert()], clears: [], at };
}

function clockAlert({ clock_skew_ms: skewMs }: StateRow): DeviceAlert[] {
  return skewMs === null || Math.abs(skewMs) <= CLOCK_SKEW_MS ? [] : [clockSkewAlert(skewMs)];
}

function statusAlert(status: string): DeviceAlert[] {
  return isKnownDeviceStatus(status) ? [] : [unknownStatusAlert(status)];
}

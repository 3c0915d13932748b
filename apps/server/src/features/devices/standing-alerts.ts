import type { DeviceAlert, StateMessage } from "@suncrew/contract/devices/messages.ts";
import {
  clockSkewAlert,
  counterTooHighAlert,
  lowBattery,
  memoryLostAlert,
  type ServerAlertCode,
  tooManyConnectionsAlert,
  tooManyMessagesAlert,
  unknownStatusAlert,
} from "@suncrew/domain/alerts/server-alerts.ts";
import { CLOCK_SKEW_MS } from "@suncrew/domain/commands/limits.ts";
import { isKnownDeviceStatus } from "@suncrew/domain/robots/status-mapping.ts";
import type { StandingAlerts } from "../alerts/public.ts";
import type { StateRow } from "./presence.ts";

/** What is wrong with how a robot speaks, whatever it says. */
export interface Speech {
  readonly isFlooding: boolean;
  readonly isReconnecting: boolean;
  /** Protocol rule 14: it speaks in a session below the known one. */
  readonly hasLostMemory: boolean;
  /** Protocol rule 14: the counter that cannot be true. */
  readonly beyondBelief: string | null;
}

/**
 * What holds by a robot's newest state: the alerts it lists, and those the server sees in it. The server's come first,
 * for a robot that floods has alerts for a while only.
 */
export function alertsOf(row: StateRow, newest: StateMessage, speech: Speech): StandingAlerts[] {
  const robot = { robotId: row.robot_id, siteId: row.site_id, at: row.received_at ?? new Date(newest.ts) };
  const { battery: batteryPercent, charging, alerts: listed } = newest;
  const battery = lowBattery({ batteryPercent, charging, listed });
  const alerts = [...clockAlert(row), ...statusAlert(newest.status), ...(typeof battery === "string" ? [] : [battery])];
  alerts.push(...speechAlerts(speech));
  const clears: ServerAlertCode[] = ["CLOCK_SKEW", "UNKNOWN_STATUS", "MESSAGES_LOST", "TOO_MANY_MESSAGES"];
  clears.push("TOO_MANY_CONNECTIONS", "COUNTER_TOO_HIGH");
  // A retained state may be that of the session that the robot has forgotten.
  if (row.online) clears.push("MEMORY_LOST");
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

/** Of a robot none of whose states were taken: nothing where nothing is wrong. */
export function speechAlertsOf(row: StateRow, speech: Speech, at: Date): StandingAlerts[] {
  const alerts = speechAlerts(speech);
  if (alerts.length === 0) return [];
  return [{ robotId: row.robot_id, siteId: row.site_id, source: "SERVER", alerts, clears: [], at }];
}

function speechAlerts({ isFlooding, isReconnecting, hasLostMemory, beyondBelief }: Speech): DeviceAlert[] {
  return [
    ...(isFlooding ? [tooManyMessagesAlert()] : []),
    ...(isReconnecting ? [tooManyConnectionsAlert()] : []),
    ...(hasLostMemory ? [memoryLostAlert()] : []),
    ...(beyondBelief === null ? [] : [counterTooHighAlert(beyondBelief)]),
  ];
}

function clockAlert({ clock_skew_ms: skewMs }: StateRow): DeviceAlert[] {
  return skewMs === null || Math.abs(skewMs) <= CLOCK_SKEW_MS ? [] : [clockSkewAlert(skewMs)];
}

function statusAlert(status: string): DeviceAlert[] {
  return isKnownDeviceStatus(status) ? [] : [unknownStatusAlert(status)];
}

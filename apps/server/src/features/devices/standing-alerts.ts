import type { DeviceAlert, StateMessage } from "@suncrew/contract/devices/messages.ts";
import { CLOCK_SKEW_MS } from "@suncrew/domain/commands/limits.ts";
import { isKnownDeviceStatus } from "@suncrew/domain/robots/status-mapping.ts";
import type { StandingAlerts } from "../alerts/public.ts";
import type { StateRow } from "./presence.ts";

/** The alerts that the server raises by itself from a state. */
const ownCodes = ["CLOCK_SKEW", "UNKNOWN_STATUS"];

/** What holds by a robot's newest state: the alerts it lists, and those the server sees in it. */
export function alertsOf(row: StateRow, newest: StateMessage): StandingAlerts[] {
  const robot = { robotId: row.robot_id, siteId: row.site_id, at: row.received_at ?? new Date(newest.ts) };
  return [
    { ...robot, source: "ROBOT", alerts: newest.alerts, clears: "all" },
    { ...robot, source: "SERVER", alerts: [...clockAlert(row), ...statusAlert(newest.status)], clears: ownCodes },
  ];
}

/** Protocol rule 12. The text does not carry the seconds, which would differ with every state. */
function clockAlert({ clock_skew_ms: skewMs }: StateRow): DeviceAlert[] {
  if (skewMs === null || Math.abs(skewMs) <= CLOCK_SKEW_MS) return [];
  const text = `The robot's clock is ${skewMs > 0 ? "ahead of" : "behind"} the server's by more than 30 seconds.`;
  return [{ code: "CLOCK_SKEW", severity: "WARNING", text }];
}

function statusAlert(status: string): DeviceAlert[] {
  if (isKnownDeviceStatus(status)) return [];
  return [{ code: "UNKNOWN_STATUS", severity: "WARNING", text: `The robot reports the unknown status "${status}".` }];
}

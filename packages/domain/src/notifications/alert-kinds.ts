import type { AlertSource } from "@suncrew/contract/alerts/alerts.ts";
import type { AlertKind } from "@suncrew/contract/notifications/notification-rules.ts";
import type { ServerAlertCode } from "../alerts/server-alerts.ts";

/** What Suncrew's own alerts are about. A new code without a kind does not compile. */
const serverKinds: Readonly<Record<ServerAlertCode, AlertKind>> = {
  CLOCK_SKEW: "ROBOT_FAULT",
  UNKNOWN_STATUS: "ROBOT_FAULT",
  LOW_BATTERY: "LOW_BATTERY",
  LOST_WHILE_MOVING: "LOST_WHILE_MOVING",
  OFFLINE_TOO_LONG: "OFFLINE_TOO_LONG",
  COMMAND_UNCONFIRMED: "COMMAND_UNCONFIRMED",
  RUN_MISSED: "RUN_MISSED",
  RUN_NOT_STARTED: "RUN_FAILED",
  RUN_SKIPPED: "RUN_SKIPPED",
  RUN_CUT_SHORT: "RUN_FAILED",
  SITE_DARK: "SITE_DARK",
  SITE_SOILED: "SITE_SOILED",
  WEATHER_LIMIT: "WEATHER",
  SENSOR_SILENT: "WEATHER",
  MESSAGES_LOST: "ROBOT_FAULT",
  TOO_MANY_MESSAGES: "ROBOT_FAULT",
  TOO_MANY_CONNECTIONS: "ROBOT_FAULT",
  MEMORY_LOST: "ROBOT_FAULT",
  COUNTER_TOO_HIGH: "ROBOT_FAULT",
  SERVER_CLOCK: "SERVER",
  DISK_NEARLY_FULL: "STORAGE",
  CHANNEL_FAILING: "CHANNEL",
  ROLLOUT_PAUSED: "ROLLOUT_PAUSED",
  REPORT_FAILED: "REPORT",
  SIGN_IN_LOCKED: "SIGN_IN",
  AUDIT_CHAIN_BROKEN: "AUDIT_CHAIN",
  BACKUP_OVERDUE: "STORAGE",
};
const kindsByCode = new Map<string, AlertKind>(Object.entries(serverKinds));

/** Words in the codes of robots that cannot go on. */
const STUCK = /STUCK|BLOCKED|JAM/i;

/** What an alert is about. Robots make their own codes, of which only LOW_BATTERY has a meaning to Suncrew. */
export function alertKindOf(source: AlertSource, code: string): AlertKind {
  // During an upgrade, a newer server may have raised what this one does not know.
  if (source === "SERVER") return kindsByCode.get(code) ?? "SERVER";
  if (code === "LOW_BATTERY") return "LOW_BATTERY";
  return STUCK.test(code) ? "STUCK" : "ROBOT_FAULT";
}

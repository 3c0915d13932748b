import { type ServerAlertCode, unconfirmedAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { severityRank } from "@suncrew/domain/alerts/severity-order.ts";
import type { Tx } from "../../platform/database/database.ts";
import { clearAlerts, type RaisedAlert, raiseAlerts } from "../alerts/public.ts";
import type { Command, LockedRobot } from "./command-rows.writes.ts";

interface Told {
  readonly robot: LockedRobot;
  readonly command: Command;
}

const CODES = ["COMMAND_UNCONFIRMED"] as const satisfies readonly ServerAlertCode[];

/** No state showed these in time: each robot gets one alert, about the worst of them. */
export async function alertUnconfirmed(tx: Tx, told: readonly Told[], now: Date): Promise<void> {
  const worst = new Map<number, RaisedAlert>();
  for (const { robot, command } of told) {
    const alert = unconfirmedAlert(command.verb);
    const other = worst.get(robot.id)?.alert;
    if (other !== undefined && severityRank[other.severity] <= severityRank[alert.severity]) continue;
    worst.set(robot.id, { robotId: robot.id, siteId: robot.site_id, alert });
  }
  await raiseAlerts(tx, [...worst.values()], now);
}

/**
 * What a robot confirms shows that commands reach it again. The Stop that Suncrew itself sends after a Start that was
 * not confirmed does not, unless it was late too: nobody would ever see that the robot did not start.
 */
export async function clearUnconfirmed(tx: Tx, confirmed: readonly Told[], now: Date): Promise<void> {
  const proving = confirmed.filter(({ command }) => command.follows_id === null || command.answered_at !== null);
  const robotIds = [...new Set(proving.map(({ robot }) => robot.id))];
  await clearAlerts(tx, robotIds, CODES, now);
}

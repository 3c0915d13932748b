import { sql } from "kysely";
import type { DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import type { Tx } from "../../platform/database/database.ts";

export type AlertSource = "ROBOT" | "SERVER";

/** The alerts that hold for a robot right now. */
export interface StandingAlerts {
  readonly robotId: number;
  readonly siteId: number;
  readonly source: AlertSource;
  /** Raised where they are not open yet. */
  readonly alerts: readonly DeviceAlert[];
  /** Open ones with these codes that do not hold any more are cleared; `all` means any code of the source. */
  readonly clears: readonly string[] | "all";
  /** Receipt of what showed them. */
  readonly at: Date;
}

interface OpenAlert {
  readonly id: number;
  readonly robot_id: number;
  readonly source: AlertSource;
  readonly code: string;
  readonly severity: string;
  readonly text: string;
}

/**
 * Raises what holds and is not open, clears what is open and does not hold: an alert is open once however often it
 * is told. At most one entry for each robot and source. Answers the robots whose alerts changed.
 */
export async function syncAlerts(tx: Tx, standing: readonly StandingAlerts[]): Promise<Set<number>> {
  const changed = new Set<number>();
  if (standing.length === 0) return changed;
  const open = await openAlerts(tx, standing);
  const raised: object[] = [];
  const cleared: object[] = [];
  const reworded: object[] = [];
  for (const robot of standing) {
    const before = open.get(keyOf(robot.robotId, robot.source)) ?? [];
    const holding = new Map(robot.alerts.map((alert) => [alert.code, alert]));
    for (const alert of holding.values()) {
      const was = before.find(({ code }) => code === alert.code);
      const { robotId: robot_id, siteId: site_id, source, at: raised_at } = robot;
      if (!was) raised.push({ robot_id, site_id, source, ...alert, raised_at });
      else if (was.severity !== alert.severity || was.text !== alert.text) reworded.push({ id: was.id, ...alert });
      else continue;
      changed.add(robot.robotId);
    }
    for (const { id, code } of before) {
      if (holding.has(code) || (robot.clears !== "all" && !robot.clears.includes(code))) continue;
      cleared.push({ id, cleared_at: robot.at });
      changed.add(robot.robotId);
    }
  }
  await writeAlerts(tx, raised, cleared, reworded);
  return changed;
}

/** Raises one alert of the server's own; nothing happens where it is open already. True if it was raised. */
export async function raiseAlert(
  tx: Tx,
  robot: { readonly robotId: number; readonly siteId: number },
  alert: DeviceAlert,
  at: Date,
): Promise<boolean> {
  const { robotId, siteId } = robot;
  const changed = await syncAlerts(tx, [{ robotId, siteId, source: "SERVER", alerts: [alert], clears: [], at }]);
  return changed.has(robotId);
}

/** Clears one alert of the server's own. True if it was open. */
export async function clearAlert(
  tx: Tx,
  robot: { readonly robotId: number; readonly siteId: number },
  code: string,
  at: Date,
): Promise<boolean> {
  const { robotId, siteId } = robot;
  const changed = await syncAlerts(tx, [{ robotId, siteId, source: "SERVER", alerts: [], clears: [code], at }]);
  return changed.has(robotId);
}

const keyOf = (robotId: number, source: AlertSource): string => `${source} ${robotId}`;

async function openAlerts(tx: Tx, standing: readonly StandingAlerts[]): Promise<Map<string, OpenAlert[]>> {
  const robotIds = [...new Set(standing.map(({ robotId }) => robotId))];
  const rows = await tx
    .selectFrom("alerts")
    .where("cleared_at", "is", null)
    .where("robot_id", "=", sql<number>`any(${robotIds}::int[])`)
    .select(["id", "robot_id", "source", "code", "severity", "text"])
    .execute();
  return Map.groupBy(rows, (row) => keyOf(row.robot_id, row.source));
}

async function writeAlerts(tx: Tx, raised: object[], cleared: object[], reworded: object[]): Promise<void> {
  if (cleared.length > 0) {
    await sql`
      update alerts a set cleared_at = greatest(n.cleared_at, a.raised_at)
      from json_populate_recordset(null::alerts, ${JSON.stringify(cleared)}::json) n
      where a.id = n.id and a.cleared_at is null`.execute(tx);
  }
  if (reworded.length > 0) {
    await sql`
      update alerts a set severity = n.severity, text = n.text
      from json_populate_recordset(null::alerts, ${JSON.stringify(reworded)}::json) n
      where a.id = n.id`.execute(tx);
  }
  if (raised.length > 0) {
    await sql`
      insert into alerts (robot_id, site_id, source, code, severity, text, raised_at)
      select n.robot_id, n.site_id, n.source, n.code, n.severity, n.text, n.raised_at
      from json_populate_recordset(null::alerts, ${JSON.stringify(raised)}::json) n
      on conflict do nothing`.execute(tx);
  }
}

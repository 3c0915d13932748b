import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import type { DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import type { ServerAlertCode } from "@suncrew/domain/alerts/server-alerts.ts";
import { isWorse } from "@suncrew/domain/alerts/severity-order.ts";
import { type RobotBudget, unlimited } from "@suncrew/domain/devices/robot-budget.ts";
import { sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Tx } from "../../platform/database/database.ts";

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
  readonly severity: Severity;
  readonly text: string;
}

/**
 * Raises what holds and is not open, clears what is open and does not hold: an alert is open once however often it
 * is told. At most one entry for each robot and source. What is past a robot's budget is not raised and keeps its words;
 * clearing costs nothing. Answers the robots whose alerts changed.
 */
export async function syncAlerts(
  tx: Tx,
  standing: readonly StandingAlerts[],
  budget: RobotBudget = unlimited,
): Promise<Set<number>> {
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
      if (was && !isOtherNow(was, alert)) continue;
      if (!isFree(robot.source, alert.code)) {
        if (!budget.has(robot.robotId, "alerts")) continue;
        budget.take(robot.robotId, "alerts");
      }
      const { robotId: robot_id, siteId: site_id, source, at: raised_at } = robot;
      if (!was) raised.push({ robot_id, site_id, source, ...alert, raised_at });
      else reworded.push({ id: was.id, ...alert });
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

/** An alert of the server's own for a robot. */
export interface RaisedAlert {
  readonly robotId: number;
  readonly siteId: number;
  readonly alert: DeviceAlert;
}

/** Raises alerts of the server's own, at most one for each robot; where one is open already it only gets worse. */
export async function raiseAlerts(tx: Tx, raised: readonly RaisedAlert[], at: Date): Promise<void> {
  const changed = await syncAlerts(
    tx,
    raised.map(({ alert, ...robot }) => ({ ...robot, source: "SERVER" as const, alerts: [alert], clears: [], at })),
  );
  if (changed.size > 0) await announceChange(tx);
}

/** Clears alerts of the server's own, of all these robots. */
export async function clearAlerts(
  tx: Tx,
  robotIds: readonly number[],
  codes: readonly ServerAlertCode[],
  at: Date,
): Promise<void> {
  if (robotIds.length === 0) return;
  const cleared = await tx
    .updateTable("alerts")
    .set({ cleared_at: sql<Date>`greatest(raised_at, ${at})`, change_no: changedNow })
    .where("robot_id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .where("source", "=", "SERVER")
    .where("code", "=", sql<string>`any(${[...codes]}::text[])`)
    .where("cleared_at", "is", null)
    .executeTakeFirst();
  if (cleared.numUpdatedRows > 0n) await announceChange(tx);
}

/** Ends every alert of robots that are deleted, replaced by another machine or cut off for good. */
export async function endAlertsOf(tx: Tx, robotIds: readonly number[], at: Date): Promise<void> {
  await tx
    .updateTable("alerts")
    .set({ cleared_at: sql<Date>`greatest(raised_at, ${at})`, change_no: changedNow })
    .where("robot_id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .where("cleared_at", "is", null)
    .execute();
}

/**
 * What holds for a robot goes with it to another site, under the name that it has now; the people there acknowledge it
 * anew. What was cleared stays where it happened.
 */
export async function moveAlerts(tx: Tx, robotId: number, siteId: number): Promise<void> {
  await sql`
    update alerts a set site_id = ${siteId}, robot_name = r.robot_name, serial_number = r.serial_number,
      acknowledged_at = null, acknowledged_by = null, acknowledged_by_user_id = null, change_no = ${changedNow}
    from robots r where r.id = ${robotId} and a.robot_id = r.id and a.cleared_at is null`.execute(tx);
}

/** A robot may tell the same in milder words; what the server saw stays as bad as it was, until it is over. */
function isOtherNow(was: OpenAlert, now: DeviceAlert): boolean {
  if (was.source === "SERVER" && isWorse(was.severity, now.severity)) return false;
  return was.severity !== now.severity || was.text !== now.text;
}

/** It tells that a budget is spent. */
const isFree = (source: AlertSource, code: string): boolean => source === "SERVER" && spentBudgets.includes(code);
const spentBudgets: readonly string[] = ["TOO_MANY_MESSAGES", "TOO_MANY_CONNECTIONS"] satisfies ServerAlertCode[];

const keyOf = (robotId: number, source: AlertSource): string => `${source} ${robotId}`;

async function openAlerts(tx: Tx, standing: readonly StandingAlerts[]): Promise<Map<string, OpenAlert[]>> {
  const robotIds = [...new Set(standing.map(({ robotId }) => robotId))];
  const rows = await tx
    .selectFrom("alerts")
    .where("cleared_at", "is", null)
    .where("robot_id", "=", sql<number>`any(${robotIds}::int[])`)
    .select(["id", "robot_id", "source", "code", "severity", "text"])
    .$narrowType<{ robot_id: number }>()
    .execute();
  return Map.groupBy(rows, (row) => keyOf(row.robot_id, row.source));
}

async function writeAlerts(tx: Tx, raised: object[], cleared: object[], reworded: object[]): Promise<void> {
  if (cleared.length > 0) {
    await sql`
      update alerts a set cleared_at = greatest(n.cleared_at, a.raised_at), change_no = ${changedNow}
      from json_populate_recordset(null::alerts, ${JSON.stringify(cleared)}::json) n
      where a.id = n.id and a.cleared_at is null`.execute(tx);
  }
  if (reworded.length > 0) {
    await sql`
      update alerts a set severity = n.severity, text = n.text, change_no = ${changedNow}
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

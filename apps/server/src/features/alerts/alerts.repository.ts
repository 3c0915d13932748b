import { isDeepStrictEqual } from "node:util";
import type { Severity } from "@suncrew/contract/alerts/severity.ts";
import { type DeviceAlert, type EventMessage, eventMessageSchema } from "@suncrew/contract/devices/messages.ts";
import type { ServerAlert, ServerAlertCode } from "@suncrew/domain/alerts/server-alerts.ts";
import { isWorse } from "@suncrew/domain/alerts/severity-order.ts";
import { CLOCK_SKEW_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { reportedTime } from "@suncrew/domain/devices/reported-values.ts";
import { type RobotBudget, unlimited } from "@suncrew/domain/devices/robot-budget.ts";
import { type Selectable, sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { anyInt, changedNow, type Tx } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { recordChanges, suncrew } from "../audit/public.ts";

export type AlertSource = "ROBOT" | "SERVER";

/** A robot's own alert, whose text is the robot's, or one of the server's, with the parameters of its text. */
type RaisableAlert = DeviceAlert & Partial<Pick<ServerAlert, "params">>;

/** A robot's current alerts. */
export interface CurrentAlerts {
  readonly robotId: number;
  readonly siteId: number;
  readonly source: AlertSource;
  /** Raised unless already open. */
  readonly alerts: readonly RaisableAlert[];
  /** Open ones with these codes that are no longer current are cleared; `all` means any code of the source. */
  readonly clears: readonly string[] | "all";
  /** When the message that showed them was received. */
  readonly at: Date;
}

/**
 * Raises current alerts that are not open, clears open ones that are no longer current: an alert is open once, however
 * many events report it. At most one entry per robot and source. Above a robot's budget nothing is raised or reworded;
 * clearing costs nothing. Returns the robots whose alerts changed.
 */
export async function syncAlerts(
  tx: Tx,
  current: readonly CurrentAlerts[],
  budget: RobotBudget = unlimited,
): Promise<Set<number>> {
  const changed = new Set<number>();
  if (current.length === 0) return changed;
  const open = await openAlerts(tx, current);
  const raised: object[] = [];
  const cleared: object[] = [];
  const reworded: object[] = [];
  const worsened: WorsenedAlert[] = [];
  for (const robot of current) {
    const before = open.get(keyOf(robot.robotId, robot.source)) ?? [];
    const holding = new Map(robot.alerts.map((alert) => [alert.code, alert]));
    const { at } = robot;
    for (const alert of holding.values()) {
      const was = before.find(({ code }) => code === alert.code);
      if (was && !isChanged(was, alert)) continue;
      if (!isExemptFromBudget(robot.source, alert.code)) {
        if (!budget.has(robot.robotId, "alerts")) continue;
        budget.take(robot.robotId, "alerts");
      }
      const { robotId: robot_id, siteId: site_id, source } = robot;
      if (!was) raised.push({ robot_id, site_id, source, ...alert, raised_at: at });
      else reworded.push({ id: was.id, ...alert });
      if (was && isWorse(alert.severity, was.severity)) {
        worsened.push({ id: was.id, why: worseText(was.severity, alert.severity), at });
      }
      changed.add(robot.robotId);
    }
    for (const { id, code } of before) {
      if (holding.has(code) || (robot.clears !== "all" && !robot.clears.includes(code))) continue;
      cleared.push({ id, cleared_at: robot.at });
      changed.add(robot.robotId);
    }
  }
  await writeAlerts(tx, raised, cleared, reworded);
  await takeAcknowledgementsBack(tx, worsened);
  return changed;
}

interface WorsenedAlert {
  readonly id: number;
  /** A sentence. */
  readonly why: string;
  readonly at: Date;
}

export const worseText = (was: Severity, is: Severity) => `It got worse: from ${was} to ${is}.`;

/** An acknowledgement was of the lesser alert: one that got worse needs somebody again. */
export async function takeAcknowledgementsBack(tx: Tx, worsened: readonly WorsenedAlert[]): Promise<void> {
  if (worsened.length === 0) return;
  const acknowledged = await tx
    .selectFrom("alerts")
    .select(["id", "site_id", "robot_id", "code", "text", "acknowledged_by"])
    .where("id", "=", sql<number>`any(${worsened.map(({ id }) => id)}::bigint[])`)
    .where("acknowledged_at", "is not", null)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  if (acknowledged.length === 0) return;
  for (const { id } of acknowledged) await storeUnacknowledged(tx, String(id));
  const before = new Map(worsened.map((alert) => [alert.id, alert]));
  await recordChanges(
    tx,
    acknowledged.map(({ id, site_id, robot_id, code, text, acknowledged_by }) => ({
      actor: suncrew,
      action: "UNDO_ACKNOWLEDGE_ALERT",
      entity: "alert",
      entityId: id,
      siteId: site_id,
      before: { robot_id, code, text, acknowledged_by },
      reason: before.get(id)?.why ?? null,
      at: before.get(id)?.at ?? new Date(0),
    })),
  );
}

/** An alert raised by the server about a robot. */
export interface RaisedAlert {
  readonly robotId: number;
  readonly siteId: number;
  readonly alert: ServerAlert;
}

/** Raises the server's own alerts, at most one per robot; one that is already open can only get worse. */
export async function raiseAlerts(tx: Tx, raised: readonly RaisedAlert[], at: Date): Promise<void> {
  const source = "SERVER";
  const current = raised.map(({ alert, ...of }) => ({ ...of, source, alerts: [alert], clears: [], at }) as const);
  const changed = await syncAlerts(tx, current);
  if (changed.size > 0) await announceChange(tx);
}

/** Clears the server's own alerts with these codes, of all these robots. */
export async function clearAlerts(
  tx: Tx,
  robotIds: readonly number[],
  codes: readonly ServerAlertCode[],
  at: Date,
): Promise<void> {
  if (robotIds.length === 0) return;
  const cleared = await clearing(tx, at)
    .where("robot_id", "=", anyInt(robotIds))
    .where("source", "=", "SERVER")
    .where("code", "=", sql<string>`any(${[...codes]}::text[])`)
    .executeTakeFirst();
  if (cleared.numUpdatedRows > 0n) await announceChange(tx);
}

/** Ends every alert of robots that are deleted, given another machine or cut off for good. */
export async function endAlertsOf(tx: Tx, robotIds: readonly number[], at: Date): Promise<void> {
  await clearing(tx, at).where("robot_id", "=", anyInt(robotIds)).execute();
}

/** Clears those of the open alerts that the caller selects. */
function clearing(tx: Tx, at: Date) {
  const cleared_at = sql<Date>`greatest(raised_at, ${at})`;
  return tx.updateTable("alerts").set({ cleared_at, change_no: changedNow }).where("cleared_at", "is", null);
}

/**
 * Open alerts move with their robot to another site, under its current name, and lose their acknowledgement, which the
 * people there have not given. Cleared alerts stay where they happened.
 */
export async function moveAlerts(tx: Tx, robotId: number, siteId: number): Promise<void> {
  await sql`
    update alerts a set site_id = ${siteId}, robot_name = r.robot_name, serial_number = r.serial_number,
      acknowledged_at = null, acknowledged_by = null, acknowledged_by_user_id = null,
      acknowledgement_comment = null, change_no = ${changedNow}
    from robots r where r.id = ${robotId} and a.robot_id = r.id and a.cleared_at is null`.execute(tx);
}

/** A robot may downgrade its alert; the server's own keeps its worst severity until it is cleared. */
function isChanged(
  was: Pick<Selectable<Tables["alerts"]>, "source" | "severity" | "text" | "params">,
  now: RaisableAlert,
): boolean {
  if (was.source === "SERVER" && isWorse(was.severity, now.severity)) return false;
  if (was.severity !== now.severity) return true;
  return now.params === undefined ? was.text !== now.text : !isDeepStrictEqual(was.params, now.params);
}

/** Alerts that report a spent budget. */
const isExemptFromBudget = (source: AlertSource, code: string): boolean =>
  source === "SERVER" && budgetAlerts.includes(code);
const budgetAlerts: readonly string[] = ["TOO_MANY_MESSAGES", "TOO_MANY_CONNECTIONS"] satisfies ServerAlertCode[];

const keyOf = (robotId: number, source: AlertSource): string => `${source} ${robotId}`;

async function openAlerts(tx: Tx, current: readonly CurrentAlerts[]) {
  const robotIds = [...new Set(current.map(({ robotId }) => robotId))];
  const rows = await tx
    .selectFrom("alerts")
    .where("cleared_at", "is", null)
    .where("robot_id", "=", anyInt(robotIds))
    .select(["id", "robot_id", "source", "code", "severity", "text", "params"])
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
      update alerts a set severity = n.severity, text = n.text, params = n.params, change_no = ${changedNow}
      from json_populate_recordset(null::alerts, ${JSON.stringify(reworded)}::json) n
      where a.id = n.id`.execute(tx);
  }
  if (raised.length > 0) {
    await sql`
      insert into alerts (robot_id, site_id, source, code, severity, text, params, raised_at)
      select n.robot_id, n.site_id, n.source, n.code, n.severity, n.text, n.params, n.raised_at
      from json_populate_recordset(null::alerts, ${JSON.stringify(raised)}::json) n
      on conflict do nothing`.execute(tx);
  }
}

/** Raises an alert about a whole site, unless it is already open. */
export async function raiseSiteAlert(tx: Tx, siteId: number, alert: ServerAlert, at: Date): Promise<void> {
  await tx
    .insertInto("alerts")
    .values({ site_id: siteId, robot_id: null, source: "SERVER", ...alert, raised_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await announceChange(tx);
}

/** These sites have a robot online: their outages are over. */
export function clearSiteOutages(tx: Tx, siteIds: readonly number[], at: Date): Promise<void> {
  return clearSiteAlerts(tx, siteIds, "SITE_DARK", at);
}

/** Clears the alerts with this code about these whole sites. */
export async function clearSiteAlerts(
  tx: Tx,
  siteIds: readonly number[],
  code: ServerAlertCode,
  at: Date,
): Promise<void> {
  if (siteIds.length === 0) return;
  const cleared = await openOfSites(tx, siteIds, at).where("code", "=", code).executeTakeFirst();
  if (cleared.numUpdatedRows > 0n) await announceChange(tx);
}

/** Ends every alert about a site that is being deleted; those of its robots end with them. */
export async function endSiteAlerts(tx: Tx, siteId: number, at: Date): Promise<void> {
  await openOfSites(tx, [siteId], at).execute();
}

function openOfSites(tx: Tx, siteIds: readonly number[], at: Date) {
  return clearing(tx, at).where("site_id", "=", anyInt(siteIds)).where("robot_id", "is", null);
}

const isAlert = (alertId: string) => sql<boolean>`id = ${alertId}::bigint`;

type LockedAlert = Pick<
  Tables["alerts"],
  "site_id" | "robot_id" | "source" | "code" | "text" | "cleared_at" | "acknowledged_by"
>;

/** Locks an alert; null if it does not exist. */
export async function lockAlert(tx: Tx, alertId: string): Promise<LockedAlert | null> {
  const alert = await tx
    .selectFrom("alerts")
    .select(["site_id", "robot_id", "source", "code", "text", "cleared_at", "acknowledged_by"])
    .where(isAlert(alertId))
    .forNoKeyUpdate()
    .executeTakeFirst();
  return alert ?? null;
}

/** `ends`: the acknowledgement also clears the alert, which nothing else would. */
export async function storeAcknowledged(
  tx: Tx,
  alertId: string,
  by: { readonly userId: number | null; readonly name: string; readonly comment: string | null },
  ends: boolean,
  now: Date,
): Promise<void> {
  await tx
    .updateTable("alerts")
    .set({
      acknowledged_at: now,
      acknowledged_by: by.name,
      acknowledged_by_user_id: by.userId,
      acknowledgement_comment: by.comment,
      change_no: changedNow,
      ...(ends && { cleared_at: sql<Date>`greatest(raised_at, ${now})` }),
    })
    .where(isAlert(alertId))
    .execute();
  await announceChange(tx);
}

export async function storeUnacknowledged(tx: Tx, alertId: string): Promise<void> {
  await tx
    .updateTable("alerts")
    .set({
      acknowledged_at: null,
      acknowledged_by: null,
      acknowledged_by_user_id: null,
      acknowledgement_comment: null,
      change_no: changedNow,
    })
    .where(isAlert(alertId))
    .execute();
  await announceChange(tx);
}

/** An event that was not stored before. */
interface AlertEvent {
  readonly robotId: number;
  readonly siteId: number;
  readonly message: EventMessage;
  readonly clockSkewMs: number | null;
}

type Raised = Extract<EventMessage, { kind: "ALERT_RAISED" }>;
type Cleared = Extract<EventMessage, { kind: "ALERT_CLEARED" }>;

/**
 * Only the newest state says which alerts are current. An alert that a robot raised and cleared while its states did
 * not arrive is known from its events alone: it is stored with both times, unless it was open in between. Returns the
 * robots whose alerts changed.
 */
export async function recordPastAlerts(
  tx: Tx,
  events: readonly AlertEvent[],
  budget: RobotBudget = unlimited,
): Promise<Set<number>> {
  const changed = new Set<number>();
  const ofAlerts = events.flatMap((event) => {
    const { message } = event;
    if (message.kind === "ALERT_RAISED") return [{ ...event, code: message.alert.code }];
    return message.kind === "ALERT_CLEARED" ? [{ ...event, code: message.code }] : [];
  });
  if (ofAlerts.length === 0) return changed;
  for (const pair of await findAlertPairs(tx, ofAlerts)) {
    const event = ofAlerts.find(({ robotId }) => robotId === pair.robotId);
    if (event === undefined || !budget.has(pair.robotId, "alerts")) continue;
    const { clockSkewMs, siteId } = event;
    const at = ({ message, receivedAt }: { message: Raised | Cleared; receivedAt: Date }) =>
      reportedTime({ at: new Date(message.at), receivedAt, clockSkewMs });
    const [raisedAt, clearedAt] = [at(pair.raised), at(pair.cleared)];
    const { alert } = pair.raised.message;
    if (!(await insertPastAlert(tx, { robotId: pair.robotId, siteId, alert, raisedAt, clearedAt }))) continue;
    budget.take(pair.robotId, "alerts");
    changed.add(pair.robotId);
  }
  return changed;
}

/** Each ALERT_CLEARED that is new or follows a new ALERT_RAISED, with the last ALERT_RAISED before it. */
async function findAlertPairs(tx: Tx, events: readonly (AlertEvent & { readonly code: string })[]) {
  const { rows } = await sql<{
    robot_id: number;
    raised: unknown;
    raised_received_at: Date;
    cleared: unknown;
    cleared_received_at: Date;
  }>`
    with told as (
      select * from unnest(${events.map(({ robotId }) => robotId)}::int[], ${events.map(({ code }) => code)}::text[],
        ${events.map(({ message }) => message.eventSeq)}::bigint[]) n (robot_id, code, event_seq)
    ), ended as (
      select distinct t.robot_id, t.code, c.event_seq, c.body, c.received_at
      from told t cross join lateral (
        select e.event_seq, e.body, e.received_at from robot_events e
        where e.robot_id = t.robot_id and e.event_seq >= t.event_seq and e.kind = 'ALERT_CLEARED'
          and e.body ->> 'code' = t.code
        order by e.event_seq limit 1) c
    )
    select c.robot_id, r.body as raised, r.received_at as raised_received_at, c.body as cleared,
      c.received_at as cleared_received_at
    from ended c cross join lateral (
      select e.body, e.received_at from robot_events e
      where e.robot_id = c.robot_id and e.event_seq < c.event_seq and e.kind = 'ALERT_RAISED'
        and e.body -> 'alert' ->> 'code' = c.code
      order by e.event_seq desc limit 1) r
    order by c.robot_id, c.event_seq`.execute(tx);
  return rows.flatMap((row) => {
    const [raised, cleared] = [eventMessageSchema.parse(row.raised), eventMessageSchema.parse(row.cleared)];
    if (raised.kind !== "ALERT_RAISED" || cleared.kind !== "ALERT_CLEARED") return [];
    return {
      robotId: row.robot_id,
      raised: { message: raised, receivedAt: row.raised_received_at },
      cleared: { message: cleared, receivedAt: row.cleared_received_at },
    };
  });
}

interface PastAlert {
  readonly robotId: number;
  readonly siteId: number;
  readonly alert: Raised["alert"];
  readonly raisedAt: Date;
  readonly clearedAt: Date;
}

/** False if the alert was already stored for that time, within the clock skew that rule 12 allows. */
async function insertPastAlert(tx: Tx, { robotId, siteId, alert, raisedAt, clearedAt }: PastAlert): Promise<boolean> {
  const until = clearedAt > raisedAt ? clearedAt : raisedAt;
  const { code, severity, text } = alert;
  const added = await sql`
    insert into alerts (robot_id, site_id, source, code, severity, text, raised_at, cleared_at, change_no)
    select ${robotId}::int, ${siteId}::int, 'ROBOT', ${code}, ${severity}, ${text}, ${raisedAt}::timestamptz,
      ${until}::timestamptz, ${changedNow}
    where not exists (select from alerts a
      where a.robot_id = ${robotId} and a.source = 'ROBOT' and a.code = ${code}
        and a.raised_at <= ${new Date(until.getTime() + CLOCK_SKEW_MS)}::timestamptz
        and (a.cleared_at is null or a.cleared_at >= ${new Date(raisedAt.getTime() - CLOCK_SKEW_MS)}::timestamptz))`.execute(
    tx,
  );
  return (added.numAffectedRows ?? 0n) > 0n;
}

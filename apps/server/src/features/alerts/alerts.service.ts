import { endsWhenAcknowledged } from "@suncrew/domain/alerts/server-alerts.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { conflict, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { auditedChange } from "../audit/public.ts";
import { lockAlert, storeAcknowledged, storeUnacknowledged } from "./alerts.repository.ts";
import { requireAlert } from "./alerts.queries.ts";

/** Acknowledges an alert; the first acknowledgement stays. Throws 404, and 409 where the alert is over. */
export async function acknowledge(
  db: Db,
  viewer: Viewer,
  alertId: string,
  at: Date,
  comment: string | null = null,
): Promise<{ message: string }> {
  const change = { actor: viewer, action: "ACKNOWLEDGE_ALERT", entity: "alert", entityId: alertId, at };
  return auditedChange(db, change, async (tx, details) => {
    await requireAlert(viewer, tx, alertId);
    const alert = await lockAlert(tx, alertId);
    if (alert === null) throw notFound("Alert");
    // It may have moved to another partner's site while this waited for the row.
    await requireAlert(viewer, tx, alertId);
    const { acknowledged_by: first, cleared_at: clearedAt, site_id, robot_id, code, text } = alert;
    if (clearedAt === null && first !== null) {
      details.rows = [];
      return { message: `${first} has already acknowledged this alert.` };
    }
    details.siteId = site_id;
    details.after = { robot_id, code, text, ...(comment !== null && { comment }) };
    if (clearedAt !== null) throw conflict("ALERT_CLEARED", "This alert is over: it has been cleared.");
    const ends = endsWhenAcknowledged(alert.source, code);
    await storeAcknowledged(tx, alertId, { userId: viewer.userId, name: viewer.name, comment }, ends, at);
    return { message: ends ? "The alert was acknowledged and is over." : "The alert was acknowledged." };
  });
}

/**
 * Acknowledges those of these alerts that are open and not acknowledged, in the caller's transaction, which has checked
 * who may and records it. Returns them.
 */
export async function acknowledgeAlerts(
  tx: Tx,
  alertIds: readonly string[],
  by: Parameters<typeof storeAcknowledged>[2],
  at: Date,
) {
  const acknowledged: (NonNullable<Awaited<ReturnType<typeof lockAlert>>> & { readonly id: string })[] = [];
  // Always in this order, so that two callers cannot deadlock.
  for (const id of alertIds.toSorted((one, other) => one.length - other.length || (one < other ? -1 : 1))) {
    const alert = await lockAlert(tx, id);
    if (alert === null || alert.cleared_at !== null || alert.acknowledged_by !== null) continue;
    await storeAcknowledged(tx, id, by, endsWhenAcknowledged(alert.source, alert.code), at);
    acknowledged.push({ id, ...alert });
  }
  return acknowledged;
}

/** Takes the acknowledgement of an alert back, whoever made it. Throws 404, and 409 where the alert is over. */
export async function unacknowledge(db: Db, viewer: Viewer, alertId: string, at: Date): Promise<{ message: string }> {
  const change = { actor: viewer, action: "UNDO_ACKNOWLEDGE_ALERT", entity: "alert", entityId: alertId, at };
  return auditedChange(db, change, async (tx, details) => {
    await requireAlert(viewer, tx, alertId);
    const alert = await lockAlert(tx, alertId);
    if (alert === null) throw notFound("Alert");
    await requireAlert(viewer, tx, alertId);
    const { acknowledged_by: name, cleared_at: clearedAt, site_id, robot_id, code, text } = alert;
    details.siteId = site_id;
    details.before = { robot_id, code, text, acknowledged_by: name };
    if (clearedAt !== null) throw conflict("ALERT_CLEARED", "This alert is over: it has been cleared.");
    if (name === null) return { message: "Nobody has acknowledged this alert." };
    await storeUnacknowledged(tx, alertId);
    return { message: "The acknowledgement was undone." };
  });
}

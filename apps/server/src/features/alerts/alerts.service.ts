import { endsWhenAcknowledged } from "@suncrew/domain/alerts/server-alerts.ts";
import type { Db, Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { conflict, type HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { recordAudit } from "../audit/public.ts";
import { lockAlert, storeAcknowledged } from "./alerts.repository.ts";
import { requireAlert } from "./alerts.queries.ts";

/** A refusal is thrown after the commit, so that its audit row stays. */
type Acknowledged = { readonly message: string } | { readonly error: HttpError };

/** Acknowledges an alert; the first acknowledgement stays. Throws 404, and 409 if the alert is over. */
export async function acknowledge(db: Db, viewer: Viewer, alertId: string, now: Date): Promise<{ message: string }> {
  const result = await transactionWithRetry(db, (tx) => acknowledgeIn(tx, viewer, alertId, now));
  if ("error" in result) throw result.error;
  return result;
}

async function acknowledgeIn(tx: Tx, viewer: Viewer, alertId: string, now: Date): Promise<Acknowledged> {
  await requireAlert(viewer, tx, alertId);
  const alert = await lockAlert(tx, alertId);
  if (alert === null) throw notFound("Alert");
  // It may have moved to another partner's site while this call waited for the row.
  await requireAlert(viewer, tx, alertId);
  const { acknowledged_by: first, cleared_at: clearedAt, site_id: siteId, robot_id, code, text } = alert;
  if (clearedAt === null && first !== null) return { message: `${first} has already acknowledged this alert.` };
  const reason = clearedAt === null ? null : "This alert is over: it has been cleared.";
  await recordAudit(tx, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: "ACKNOWLEDGE_ALERT",
    entity: "alert",
    entityId: alertId,
    siteId,
    outcome: reason === null ? "DONE" : "REFUSED",
    reason,
    after: { robot_id, code, text },
    at: now,
  });
  if (reason !== null) return { error: conflict("ALERT_CLEARED", reason) };
  const ends = endsWhenAcknowledged(alert.source, code);
  await storeAcknowledged(tx, alertId, viewer, ends, now);
  return { message: ends ? "The alert was acknowledged and is over." : "The alert was acknowledged." };
}

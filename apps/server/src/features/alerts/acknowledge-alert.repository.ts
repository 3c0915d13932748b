import { sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Tx } from "../../platform/database/database.ts";
import type { AlertsTable } from "../../platform/database/schema.ts";

const isAlert = (alertId: string) => sql<boolean>`id = ${alertId}::bigint`;

type LockedAlert = Pick<
  AlertsTable,
  "site_id" | "robot_id" | "source" | "code" | "text" | "cleared_at" | "acknowledged_by"
>;

/** The alert as it is, held until the transaction ends; null where there is none. */
export async function lockAlert(tx: Tx, alertId: string): Promise<LockedAlert | null> {
  const alert = await tx
    .selectFrom("alerts")
    .select(["site_id", "robot_id", "source", "code", "text", "cleared_at", "acknowledged_by"])
    .where(isAlert(alertId))
    .forNoKeyUpdate()
    .executeTakeFirst();
  return alert ?? null;
}

/** `ends`: nothing but this could end the alert. */
export async function storeAcknowledged(
  tx: Tx,
  alertId: string,
  by: { readonly userId: number; readonly name: string },
  ends: boolean,
  now: Date,
): Promise<void> {
  await tx
    .updateTable("alerts")
    .set({
      acknowledged_at: now,
      acknowledged_by: by.name,
      acknowledged_by_user_id: by.userId,
      change_no: changedNow,
      ...(ends && { cleared_at: sql<Date>`greatest(raised_at, ${now})` }),
    })
    .where(isAlert(alertId))
    .execute();
  await announceChange(tx);
}

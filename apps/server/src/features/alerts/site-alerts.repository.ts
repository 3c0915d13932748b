import type { DeviceAlert } from "@suncrew/contract/devices/messages.ts";
import type { ServerAlertCode } from "@suncrew/domain/alerts/server-alerts.ts";
import { sql } from "kysely";
import { announceChange } from "../../platform/change-signal.ts";
import { changedNow, type Tx } from "../../platform/database/database.ts";

/** Raises an alert about a whole site; nothing happens where it is open already. */
export async function raiseSiteAlert(tx: Tx, siteId: number, alert: DeviceAlert, at: Date): Promise<void> {
  await tx
    .insertInto("alerts")
    .values({ site_id: siteId, robot_id: null, source: "SERVER", ...alert, raised_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await announceChange(tx);
}

/** A robot of each of these sites is there: whatever was dark is so no more. */
export async function clearDarkSites(tx: Tx, siteIds: readonly number[], at: Date): Promise<void> {
  if (siteIds.length === 0) return;
  const cleared = await openOfSites(tx, siteIds, at)
    .where("code", "=", "SITE_DARK" satisfies ServerAlertCode)
    .executeTakeFirst();
  if (cleared.numUpdatedRows > 0n) await announceChange(tx);
}

/** Ends every alert about a site that is deleted; those of its robots end with them. */
export async function endSiteAlerts(tx: Tx, siteId: number, at: Date): Promise<void> {
  await openOfSites(tx, [siteId], at).execute();
}

function openOfSites(tx: Tx, siteIds: readonly number[], at: Date) {
  return tx
    .updateTable("alerts")
    .set({ cleared_at: sql<Date>`greatest(raised_at, ${at})`, change_no: changedNow })
    .where("site_id", "=", sql<number>`any(${[...siteIds]}::int[])`)
    .where("robot_id", "is", null)
    .where("cleared_at", "is", null);
}

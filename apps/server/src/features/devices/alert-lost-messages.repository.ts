import { messagesLostAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import type { Db } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import { raiseAlerts } from "../alerts/public.ts";

/** What the robot said is lost to Suncrew; the next state of it that can be stored clears the alert. */
export async function alertLostMessages(db: Db, serial: string, now: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    const robot = await tx
      .selectFrom("robots")
      .select(["id", "site_id"])
      .where("serial_number", "=", serial)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    if (robot) await raiseAlerts(tx, [{ robotId: robot.id, siteId: robot.site_id, alert: messagesLostAlert() }], now);
  });
}

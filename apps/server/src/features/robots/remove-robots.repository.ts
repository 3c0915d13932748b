import { sql } from "kysely";
import { announceScope } from "../../platform/change-signal.ts";
import { changedNow, type Tx } from "../../platform/database/database.ts";
import { endAlertsOf } from "../alerts/public.ts";
import { type AuditActor, recordAudits } from "../audit/public.ts";
import { type LockedRobot, settleRemoved } from "../commands/public.ts";
import { closeRunsOfRemoved } from "../runs/public.ts";

/**
 * Soft-deletes robots that stand and are in no group, which this transaction has locked: history keeps them, and their
 * serial numbers are free. Their open commands, runs, alerts and locks end. A robot in maintenance keeps its own lock
 * until somebody who gives its serial number to a robot releases it.
 */
export async function removeRobots(tx: Tx, robots: readonly LockedRobot[], by: AuditActor, now: Date): Promise<void> {
  if (robots.length === 0) return;
  const reason = `The robot was deleted by ${by.name}.`;
  const ids = robots.map(({ id }) => id);
  const these = sql<number>`any(${ids}::int[])`;
  await settleRemoved(tx, robots, reason, now);
  await closeRunsOfRemoved(tx, ids, reason, now);
  await tx
    .updateTable("maintenance_locks")
    .set({ released_at: now, released_by: by.name, released_by_user_id: by.userId })
    .where("robot_id", "=", these)
    .where("released_at", "is", null)
    .execute();
  await endAlertsOf(tx, ids, now);
  await tx
    .updateTable("robot_state")
    .set({ online: false, robot_status: "offline", change_no: changedNow })
    .where("robot_id", "=", these)
    .execute();
  await tx.updateTable("robots").set({ deleted_at: now }).where("id", "=", these).execute();
  await recordAudits(
    tx,
    robots.map(({ id, site_id, robot_name, serial_number }) => ({
      actor: by,
      action: "DELETE_ROBOT",
      entity: "robot",
      entityId: id,
      siteId: site_id,
      outcome: "DONE" as const,
      before: { robot_name, serial_number, site_id },
      at: now,
    })),
  );
  await announceScope(tx);
}

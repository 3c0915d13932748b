import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";

/** What the broker is told after the commit; it is told again until it has taken it. */
export type Pending = "SECRET" | "RETIRE";

/** The columns of a change that the broker is to be told from now on. */
export const pendingNow = (pending: Pending, now: Date) => ({
  broker_pending: pending,
  broker_pending_at: now,
  broker_refusals: 0,
});

export interface PendingDevice {
  readonly serial: string;
  readonly pending: Pending;
}

/**
 * Of the devices with a change that the broker was not told, the one that has waited the longest, taken by this server
 * until the next try; null where none is due. Each is due after `againMs`, and the more often the broker has refused it
 * the later, up to `againAtMostMs`.
 */
export async function takePending(
  db: Executor,
  { now, againMs, againAtMostMs }: { readonly now: Date; readonly againMs: number; readonly againAtMostMs: number },
): Promise<PendingDevice | null> {
  const waitMs = sql`least(${againMs}::float8 * power(2, broker_refusals), ${againAtMostMs}::float8)`;
  const { rows } = await sql<PendingDevice>`
    update devices d set broker_pending_at = ${now}
    from (
      select serial from devices
      where broker_pending is not null and broker_pending_at + ${waitMs} * interval '1 millisecond' <= ${now}
      order by broker_pending_at limit 1 for no key update skip locked
    ) due
    where d.serial = due.serial
    returning d.serial, d.broker_pending as pending`.execute(db);
  return rows[0] ?? null;
}

/** The broker has not taken it: it is told again later than the last time. */
export async function countRefusal(db: Executor, { serial, pending }: PendingDevice): Promise<void> {
  await db
    .updateTable("devices")
    .set({ broker_refusals: sql<number>`least(broker_refusals + 1, 30)` })
    .where("serial", "=", serial)
    .where("broker_pending", "=", pending)
    .execute();
}

/** The broker has taken it; what has changed meanwhile stays pending. */
export async function clearPending(db: Executor, serial: string, pending: Pending): Promise<void> {
  await db
    .updateTable("devices")
    .set({ broker_pending: null, broker_pending_at: null, broker_refusals: 0 })
    .where("serial", "=", serial)
    .where("broker_pending", "=", pending)
    .execute();
}

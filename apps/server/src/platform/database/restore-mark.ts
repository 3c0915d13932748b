import type { Executor, Tx } from "./database.ts";

/** The row of `installation` that says when the database was last restored from a backup. */
const RESTORED_MARK = "restored_at";

/**
 * When this database was restored from a backup; null if it never was. What was due by then is over: nobody knows whether
 * it happened (decision 60).
 */
export async function readRestoredAt(db: Executor): Promise<Date | null> {
  const row = await db.selectFrom("installation").select("value").where("key", "=", RESTORED_MARK).executeTakeFirst();
  return row === undefined ? null : new Date(row.value);
}

export async function markRestored(tx: Tx, at: Date): Promise<void> {
  const row = { key: RESTORED_MARK, value: at.toISOString() };
  await tx
    .insertInto("installation")
    .values(row)
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: row.value }))
    .execute();
}

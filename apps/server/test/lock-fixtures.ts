import type { Db } from "../src/platform/database/database.ts";

/** Puts every robot back to how it is without maintenance: no lock, and no order about one under way. */
export async function releaseAll(db: Db): Promise<void> {
  await db
    .updateTable("commands")
    .set({ settled_at: new Date(0), answered_at: new Date(0), outcome: "UNCONFIRMED" })
    .where("verb", "in", ["MAINTENANCE_ON", "MAINTENANCE_OFF"])
    .where("settled_at", "is", null)
    .execute();
  await db.deleteFrom("maintenance_locks").execute();
  await db.updateTable("robots").set({ operating_mode: "auto" }).where("operating_mode", "=", "maintenance").execute();
}

import type { Db } from "../src/platform/database/database.ts";

/** Resets maintenance for every robot: no lock, and no open command about one. */
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

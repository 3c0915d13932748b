import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

export interface AllocatedDevice {
  readonly serial: string;
  readonly retired_at: Date | null;
  readonly partner_id: number;
  readonly partner_name: string;
  readonly is_assigned: boolean;
}

/** Locks devices against being given to a robot or to another partner meanwhile; those that are not there are absent. */
export async function lockAllocated(tx: Tx, serials: readonly string[]): Promise<AllocatedDevice[]> {
  const these = sql<string>`any(${[...serials]}::text[])`;
  await tx
    .selectFrom("devices")
    .select("serial")
    .where("serial", "=", these)
    .orderBy("serial")
    .forNoKeyUpdate()
    .execute();
  // Once they are held: a query that waited for them has not seen the robots that came meanwhile.
  return tx
    .selectFrom("devices as d")
    .innerJoin("partners as p", "p.id", "d.partner_id")
    .leftJoin("robots as r", (join) => join.onRef("r.serial_number", "=", "d.serial").on("r.deleted_at", "is", null))
    .select(["d.serial", "d.retired_at", "d.partner_id", "p.name as partner_name"])
    .select(sql<boolean>`r.id is not null`.as("is_assigned"))
    .where("d.serial", "=", these)
    .orderBy("d.serial")
    .execute();
}

/** Whoever allocates them knows where they are: what becomes of the site that they were at last concerns them no more. */
export async function storeAllocated(tx: Tx, serials: readonly string[], partnerId: number): Promise<void> {
  await tx
    .updateTable("devices")
    .set({ partner_id: partnerId, last_site_id: null })
    .where("serial", "=", sql<string>`any(${[...serials]}::text[])`)
    .execute();
}

import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { createPartner } from "@suncrew/contract/partners/partners.ts";
import type { Selectable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { PartnersTable } from "../../platform/database/schema.ts";

/** What people type about a partner. */
export type PartnerContent = BodyOf<typeof createPartner>;
export type PartnerRow = Selectable<PartnersTable>;

/**
 * Holds a partner that sites are given to until the transaction ends, so that it is not deleted meanwhile. False where
 * it is not there. To be called before a site's row is locked: who edits the partner locks in that order.
 */
export async function lockLivePartner(tx: Tx, partnerId: number): Promise<boolean> {
  const row = await tx
    .selectFrom("partners")
    .select("id")
    .where("id", "=", partnerId)
    .where("deleted_at", "is", null)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

import { sql } from "kysely";
import { notFound } from "../../platform/http/http-error.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";

/**
 * Locks sites that are to get robots: none of them is deleted or given to another partner meanwhile, and no two robots
 * get one name there at the same moment. Robots, where some are to be changed, are locked before. Answers the partners
 * that maintain them. Throws 404 where one of the sites is not there or not the viewer's.
 */
export async function lockSites(
  viewer: Viewer,
  tx: Tx,
  siteIds: readonly number[],
): Promise<ReadonlySet<number | null>> {
  const wanted = new Set(siteIds);
  const rows = await visibleSites(viewer, tx)
    .select(["sites.id", "sites.maintenance_partner_id"])
    .where("sites.id", "=", sql<number>`any(${[...wanted]}::int[])`)
    .orderBy("sites.id")
    .forNoKeyUpdate()
    .execute();
  if (rows.length !== wanted.size) throw notFound("Site");
  return new Set(rows.map((row) => row.maintenance_partner_id));
}

import type { SelectQueryBuilder } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Tables } from "../../platform/database/schema.ts";
import type { Viewer } from "../../platform/viewer.ts";

/**
 * The one wall between tenants (§6): every query for a person starts from it. A Super Admin has every site that was not
 * deleted, a partner those it maintains. Selects nothing yet; the sites are named `sites`.
 */
export function visibleSites(viewer: Viewer, db: Executor): SelectQueryBuilder<Tables, "sites", object> {
  const present = db.selectFrom("sites").where("sites.deleted_at", "is", null);
  if (viewer.role === "SUPER_ADMIN") return present;
  if (viewer.partnerId === null) return present.where((eb) => eb.lit(false));
  return present.where("sites.maintenance_partner_id", "=", viewer.partnerId);
}

import type { SelectQueryBuilder } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Tables } from "../../platform/database/tables.ts";
import type { Viewer } from "../../platform/sessions.ts";

/**
 * The one wall between tenants (§6): every query for a person starts from it. A Super Admin has every site that was not
 * deleted, a partner those it maintains. Selects nothing yet; the sites are named `sites`.
 */
export function visibleSites(viewer: Viewer, db: Executor): SelectQueryBuilder<Tables, "sites", object> {
  return sitesEverVisible(viewer, db).where("sites.deleted_at", "is", null);
}

/**
 * The same wall for history, which stays readable: includes deleted sites, for a Super Admin and for the partner that
 * had each. Only the history of a site may start from it.
 */
export function sitesEverVisible(viewer: Viewer, db: Executor): SelectQueryBuilder<Tables, "sites", object> {
  const ever = db.selectFrom("sites");
  if (viewer.role === "SUPER_ADMIN") return ever;
  if (viewer.partnerId === null) return ever.where((eb) => eb.lit(false));
  return ever.where("sites.maintenance_partner_id", "=", viewer.partnerId);
}

/** Who has a site, as `seesSite` needs it. */
export interface SiteOwner {
  /** Null if no partner maintains it. */
  readonly partnerId: number | null;
  readonly isDeleted: boolean;
}

/**
 * The walls above for rows that were read once for several viewers: whether this site is within `visibleSites`, or with
 * `ever` within `sitesEverVisible`. An unknown site is nobody's.
 */
export function seesSite(viewer: Viewer, site: SiteOwner | undefined, when: "now" | "ever" = "now"): boolean {
  if (site === undefined || (when === "now" && site.isDeleted)) return false;
  return viewer.role === "SUPER_ADMIN" || (viewer.partnerId !== null && site.partnerId === viewer.partnerId);
}

/** Rows about Suncrew's own servers have no site for the wall to check, so only a Super Admin sees them. */
export function seesServers(viewer: Viewer): boolean {
  return viewer.role === "SUPER_ADMIN";
}

/** For the filters of history. Throws 404 if the site never existed, even deleted, or is not the viewer's. */
export async function requireSiteEver(viewer: Viewer, db: Executor, siteId: number): Promise<void> {
  const site = await sitesEverVisible(viewer, db).select("sites.id").where("sites.id", "=", siteId).executeTakeFirst();
  if (!site) throw notFound("Site");
}

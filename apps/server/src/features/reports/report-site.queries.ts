import { SITE_FIELDS } from "@suncrew/contract/sites/sites.ts";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import type { ReportData } from "./report-data.ts";

/** The site of a report with its partner; where it has none, whoever is named for its maintenance. Throws 404. */
export async function readReportSite(
  viewer: Viewer,
  db: Executor,
  siteId: number,
): Promise<Pick<ReportData, "site" | "partner" | "partnerId">> {
  const row = await visibleSites(viewer, db)
    .leftJoin("partners", "partners.id", "sites.maintenance_partner_id")
    .select(["sites.id", "sites.timezone"])
    .select(SITE_FIELDS.map((field) => `sites.${field}` as const))
    .select(["partners.name as partner_name", "partners.contact_person", "partners.contact_info", "partners.email"])
    .where("sites.id", "=", siteId)
    .executeTakeFirst();
  if (!row) throw notFound("Site");
  const { partner_name, contact_person, contact_info, email, ...rest } = row;
  const { maintenance_contact, maintenance_contact_name, maintenance_email, ...located } = rest;
  const { maintenance_partner_id: partnerId, ...site } = located;
  if (partner_name !== null) {
    const partner = { name: partner_name, contactPerson: contact_person, email, phone: contact_info };
    return { site, partner, partnerId };
  }
  const isNamed = [maintenance_contact, maintenance_contact_name, maintenance_email].some(Boolean);
  const named = {
    name: maintenance_contact_name ?? "Maintenance contact",
    contactPerson: maintenance_contact_name,
    email: maintenance_email,
    phone: maintenance_contact,
  };
  return { site, partner: isNamed ? named : null, partnerId };
}

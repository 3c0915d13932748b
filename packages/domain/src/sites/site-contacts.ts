import type { FieldError } from "@suncrew/contract/http/error.ts";

/** Who maintains a site: a partner, or a person typed by name, phone and e-mail. */
export interface SiteMaintenance {
  readonly maintenance_partner_id: number | null;
  readonly maintenance_contact_name: string | null;
  /** The phone. */
  readonly maintenance_contact: string | null;
  readonly maintenance_email: string | null;
}

const sentences = {
  maintenance_contact_name: "Contact is required where there is no maintenance partner",
  maintenance_contact: "Phone is required where there is no maintenance partner",
  maintenance_email: "Email is required where there is no maintenance partner",
} as const;

/** §5 Site create: a maintenance partner is required, or all of contact, phone and e-mail. What is missing, by field. */
export function missingContacts(site: SiteMaintenance): FieldError[] {
  if (site.maintenance_partner_id !== null) return [];
  const fields = ["maintenance_contact_name", "maintenance_contact", "maintenance_email"] as const;
  return fields.flatMap((field) => ((site[field] ?? "") === "" ? [{ field, message: sentences[field] }] : []));
}

/** What is kept of it: contact, phone and e-mail of a site with a partner are the partner's. */
export function storedMaintenance(site: SiteMaintenance): SiteMaintenance {
  const { maintenance_partner_id, maintenance_contact_name, maintenance_contact, maintenance_email } = site;
  return maintenance_partner_id === null
    ? { maintenance_partner_id, maintenance_contact_name, maintenance_contact, maintenance_email }
    : { maintenance_partner_id, maintenance_contact_name: null, maintenance_contact: null, maintenance_email: null };
}

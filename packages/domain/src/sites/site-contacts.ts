import type { FieldError } from "@suncrew/contract/http/error.ts";

/** Who maintains a site: a partner, or a contact entered by name, phone and email. */
export interface SiteMaintenance {
  readonly maintenance_partner_id: number | null;
  readonly maintenance_contact_name: string | null;
  /** The phone number. */
  readonly maintenance_contact: string | null;
  readonly maintenance_email: string | null;
}

const messages = {
  maintenance_contact_name: "Contact is required where there is no maintenance partner",
  maintenance_contact: "Phone is required where there is no maintenance partner",
  maintenance_email: "Email is required where there is no maintenance partner",
} as const;

/** §5 Site create: a maintenance partner, or all of contact, phone and email, is required. Returns an error per field. */
export function missingContacts(site: SiteMaintenance): FieldError[] {
  if (site.maintenance_partner_id !== null) return [];
  const fields = ["maintenance_contact_name", "maintenance_contact", "maintenance_email"] as const;
  return fields.flatMap((field) => ((site[field] ?? "") === "" ? [{ field, message: messages[field] }] : []));
}

/** What is stored: a site with a partner has no contact, phone or email of its own. */
export function storedMaintenance(site: SiteMaintenance): SiteMaintenance {
  const { maintenance_partner_id, maintenance_contact_name, maintenance_contact, maintenance_email } = site;
  return maintenance_partner_id === null
    ? { maintenance_partner_id, maintenance_contact_name, maintenance_contact, maintenance_email }
    : { maintenance_partner_id, maintenance_contact_name: null, maintenance_contact: null, maintenance_email: null };
}

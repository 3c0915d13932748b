import type { Partner } from "@suncrew/contract/partners/partners.ts";

/** One line of the partner details dialog; copyable ones name themselves as the toast does (§8 Clipboard). */
export interface PartnerFact {
  readonly term: string;
  readonly text: string;
  readonly copyAs?: "Contact name" | "Email" | "Phone number";
}

const NOT_GIVEN = "Not given";
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** Certifications travel as a comma-separated text (§3 Maintenance partner). */
export function certificationsOf(partner: Partner): readonly string[] {
  return (partner.certifications ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** §2 Partner details dialog, in its order; certifications are drawn apart. */
export function partnerFactsOf(partner: Partner): readonly PartnerFact[] {
  const address = [partner.address, partner.city, partner.state, partner.zip_code, partner.country];
  const place = address.filter((part) => part !== null && part.trim() !== "").join(", ");
  return [
    fact("Contact person", partner.contact_person, "Contact name"),
    fact("Email", partner.email, "Email"),
    fact("Phone", partner.contact_info, "Phone number"),
    fact("Address", place),
    fact("Company registration", partner.registration),
    fact("Tax ID", partner.tax_id),
    fact("Created", day.format(new Date(partner.created_at))),
  ];
}

function fact(term: string, value: string | null, copyAs?: PartnerFact["copyAs"]): PartnerFact {
  if (value === null || value.trim() === "") return { term, text: NOT_GIVEN };
  return copyAs === undefined ? { term, text: value } : { term, text: value, copyAs };
}

import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { writeCsv } from "@suncrew/domain/csv/csv.ts";
import { matchesSearch } from "../../ui/matches-search.ts";

const SEARCHED = [
  "name",
  "contact_person",
  "email",
  "contact_info",
  "city",
  "state",
  "registration",
  "username",
] as const;

type Searched = Pick<Partner, (typeof SEARCHED)[number]>;

/**
 * §2 Partner Management page, search box: what a card shows, ignoring case. A phone number is found however its digits
 * are grouped.
 */
export function searchPartners<P extends Searched>(partners: readonly P[], search: string): readonly P[] {
  if (search.trim() === "") return partners;
  const digits = /^[+\d()\s.-]+$/.test(search) ? digitsOf(search) : "";
  return partners.filter(
    (partner) =>
      matchesSearch(
        search,
        SEARCHED.map((field) => partner[field]),
      ) ||
      (digits !== "" && digitsOf(partner.contact_info ?? "").includes(digits)),
  );
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, "");
}

/** §9 CSV exports. */
export const PARTNERS_FILE_NAME = "maintenance_partners.csv";
const COLUMNS = ["Name", "Contact Person", "Email", "Phone", "City", "State", "Registration", "Username"];

/** §9 CSV exports: the partners as a spreadsheet opens them. */
export function partnersFile(partners: readonly Partner[]): string {
  return writeCsv(
    COLUMNS,
    partners.map((partner) => [
      partner.name,
      partner.contact_person,
      partner.email,
      partner.contact_info,
      partner.city,
      partner.state,
      partner.registration,
      partner.username,
    ]),
  );
}

type Named = Pick<Partner, "name" | "contact_person" | "city">;

/** The partners whose name, contact person or city contains the search, ignoring case. */
export function partnersFound<P extends Named>(partners: readonly P[], search: string): readonly P[] {
  if (search.trim() === "") return partners;
  return partners.filter(({ name, contact_person, city }) => matchesSearch(search, [name, contact_person, city]));
}

/** One line of the partner details dialog; copyable ones are named as in the toast (§8 Clipboard). */
interface PartnerFact {
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

/** §2 Partner details dialog, in order; certifications are shown separately. */
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

import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { writeCsv } from "@suncrew/domain/csv/csv.ts";

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

import type { Site } from "@suncrew/contract/sites/sites.ts";
import { type CsvCell, writeCsv } from "@suncrew/domain/csv/csv.ts";
import { SITE_COLUMNS } from "@suncrew/domain/csv/import-columns.ts";

/** Sites as a file that can be imported again. */
export function siteFileOf(sites: readonly Site[]): string {
  return writeCsv(
    SITE_COLUMNS,
    sites.map((site): CsvCell[] =>
      SITE_COLUMNS.map((column) => (column === "maintenance_partner" ? site.partner_name : site[column])),
    ),
  );
}

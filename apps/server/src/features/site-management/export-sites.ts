import type { Site } from "@suncrew/contract/sites/sites.ts";
import { type CsvCell, writeCsv } from "@suncrew/domain/csv/csv.ts";
import { SITE_COLUMNS } from "@suncrew/domain/csv/import-columns.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { workerTask } from "../../platform/workers/worker-task.ts";
import { readSites, type SeenAt } from "../sites/public.ts";

interface FileCall {
  readonly viewer: Viewer;
  readonly at: SeenAt;
}

/** The sites that the viewer may see, as a CSV file. */
export const exportSitesTask = workerTask("export sites", async ({ viewer, at }: FileCall, { db }) =>
  siteFileOf(await readSites(viewer, db, at)),
);

/** Sites as a file that can be imported again. */
function siteFileOf(sites: readonly Site[]): string {
  return writeCsv(
    SITE_COLUMNS,
    sites.map((site): CsvCell[] =>
      SITE_COLUMNS.map((column) => (column === "maintenance_partner" ? site.partner_name : site[column])),
    ),
  );
}

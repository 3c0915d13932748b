import { type AuditEntry, type exportAudit } from "@suncrew/contract/audit/audit.ts";
import type { QueryOf } from "@suncrew/contract/http/route.ts";
import { auditLabel, changesOf } from "@suncrew/domain/audit/audit-changes.ts";
import { type CsvColumn, writeCsvPages } from "@suncrew/domain/csv/csv.ts";
import { Readable } from "node:stream";
import type { Db } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { requireSiteEver } from "../sites/public.ts";
import { readAudit } from "./audit.queries.ts";

/** Rows per page of the export. */
const EXPORT_PAGE = 2_000;

/** All entries that match the filter, as CSV, read page by page as it is sent. Throws 404. */
export async function auditCsv(viewer: Viewer, db: Db, filter: QueryOf<typeof exportAudit>): Promise<Readable> {
  if (filter.site_id !== undefined) await requireSiteEver(viewer, db, filter.site_id);
  const readPage = (cursor?: string) => readAudit(viewer, db, filter, { cursor, limit: EXPORT_PAGE });
  // The first page is read before the stream begins, so that its failure becomes an error response.
  const chunks = writeCsvPages(columns, await readPage(), (last) => readPage(last?.id));
  return Readable.from(chunks, { objectMode: false });
}

/** The columns of the audit view, and the details of an expanded entry. */
const columns: readonly CsvColumn<AuditEntry>[] = [
  { name: "Time (UTC)", cell: ({ at }) => at },
  { name: "Person", cell: ({ actor }) => actor },
  { name: "Change", cell: ({ action }) => auditLabel(action) },
  { name: "Kind", cell: ({ entity }) => auditLabel(entity) },
  { name: "Name", cell: ({ target_name }) => target_name },
  { name: "Id", cell: ({ entity_id }) => entity_id },
  { name: "Site", cell: ({ site_name }) => site_name },
  { name: "Outcome", cell: ({ outcome }) => auditLabel(outcome) },
  { name: "Reason", cell: ({ reason }) => reason },
  { name: "Values", cell: valuesOf },
  { name: "Row", cell: ({ id }) => id },
  { name: "Number", cell: ({ seal }) => seal?.number ?? null },
  { name: "Seal", cell: ({ seal }) => seal?.hash ?? null },
];

/** A line per value, such as "City: Bikaner -> Barmer"; for a refused change, the requested values. */
function valuesOf(entry: AuditEntry): string {
  const lines = changesOf(entry).map(({ field, before, after }) => {
    const values = [before, after].filter((value) => value !== null);
    const shown = before !== null && after === null ? `${before} -> none` : values.join(" -> ");
    return `${auditLabel(field)}: ${shown}`;
  });
  return lines.join("\n");
}

/** audit-<date>.csv, the day in UTC. */
export function auditFileName(now: Date): string {
  return `audit-${now.toISOString().slice(0, 10)}.csv`;
}

import { Readable } from "node:stream";
import type { AuditEntry } from "@suncrew/contract/audit/audit.ts";
import { changesOf } from "@suncrew/domain/audit/audit-changes.ts";
import { auditWords } from "@suncrew/domain/audit/audit-words.ts";
import { type CsvColumn, writeCsvPages } from "@suncrew/domain/csv/csv.ts";

/** The columns of the audit view, and what an opened entry tells. */
const columns: readonly CsvColumn<AuditEntry>[] = [
  { name: "Time (UTC)", cell: ({ at }) => at },
  { name: "Person", cell: ({ actor }) => actor },
  { name: "Change", cell: ({ action }) => auditWords(action) },
  { name: "Kind", cell: ({ entity }) => auditWords(entity) },
  { name: "Name", cell: ({ target_name }) => target_name },
  { name: "Id", cell: ({ entity_id }) => entity_id },
  { name: "Site", cell: ({ site_name }) => site_name },
  { name: "Outcome", cell: ({ outcome }) => auditWords(outcome) },
  { name: "Reason", cell: ({ reason }) => reason },
  { name: "Values", cell: valuesOf },
  { name: "Row", cell: ({ id }) => id },
  { name: "Number", cell: ({ seal }) => seal?.number ?? null },
  { name: "Seal", cell: ({ seal }) => seal?.hash ?? null },
];

/** A line for each value: "City: Bikaner -> Barmer", of what was refused or failed with what was asked for. */
function valuesOf(entry: AuditEntry): string {
  const told = changesOf(entry).map(({ field, before, after }) => {
    const values = [before, after].filter((value) => value !== null);
    const shown = before !== null && after === null ? `${before} -> none` : values.join(" -> ");
    return `${auditWords(field)}: ${shown}`;
  });
  return told.join("\n");
}

/** audit-<date>.csv, the day in UTC. */
export function auditFileName(now: Date): string {
  return `audit-${now.toISOString().slice(0, 10)}.csv`;
}

/**
 * The entries as CSV, page by page while it is read. `readPage` answers those older than an `id`, none at the end; the
 * first page is there before the stream, so that a failure to read it is an answer.
 */
export async function auditFile(
  readPage: (cursor: string | undefined) => Promise<readonly AuditEntry[]>,
): Promise<Readable> {
  const pieces = writeCsvPages(columns, await readPage(undefined), (last) => readPage(last?.id));
  return Readable.from(pieces, { objectMode: false });
}

import { Readable } from "node:stream";
import type { ActivityEntry } from "@suncrew/contract/activity/activity.ts";
import { type CsvColumn, writeCsvPages } from "@suncrew/domain/csv/csv.ts";

type Column = CsvColumn<ActivityEntry>;

/** §2 Activity Log page: the table's columns. */
const columns: readonly Column[] = [
  { name: "Timestamp", cell: (entry) => entry.created_at },
  { name: "Action", cell: (entry) => entry.action },
  { name: "Action Type", cell: (entry) => entry.action_type },
  { name: "UserName", cell: (entry) => entry.user_name },
  { name: "Status", cell: (entry) => entry.status },
  { name: "Site", cell: (entry) => entry.site_name },
  { name: "Serial Number", cell: (entry) => entry.serial_number },
  { name: "Mode", cell: (entry) => entry.paramsObj.mode },
  { name: "Details", cell: (entry) => entry.details },
  { name: "Direction", cell: (entry) => (entry.paramsObj.direction === "FWD" ? "Forward" : "Reverse") },
  { name: "Main Speed", cell: (entry) => entry.paramsObj["main-speed"] },
  { name: "Brush Speed", cell: (entry) => entry.paramsObj["brush-speed"] },
];

/** §6: partner name in export is a Super Admin's. */
const partnerColumn: Column = { name: "Partner", cell: (entry) => entry.partner_name ?? "" };

/** §9: robot-activity-log-<date>.csv, the day in UTC. */
export function activityFileName(now: Date): string {
  return `robot-activity-log-${now.toISOString().slice(0, 10)}.csv`;
}

/**
 * The rows as CSV, written page by page while it is read: the next page is asked for when the last one was taken, and
 * none after the stream was destroyed. `readPage` answers the rows older than a `log_id`, none at the end; the first
 * page is there before the stream, so that a failure to read it is an answer.
 */
export async function activityFile(
  readPage: (cursor: string | undefined) => Promise<readonly ActivityEntry[]>,
  withPartner: boolean,
): Promise<Readable> {
  const shown = withPartner ? columns.toSpliced(6, 0, partnerColumn) : columns;
  const first = await readPage(undefined);
  const pieces = writeCsvPages(shown, first, (last) => readPage(last?.log_id));
  return Readable.from(pieces, { objectMode: false });
}

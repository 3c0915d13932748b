import { Readable } from "node:stream";
import {
  activityCsvColumns,
  activityCsvColumnsWithPartner,
  type ActivityCsvRow,
} from "@suncrew/domain/activity/activity-csv.ts";
import { writeCsvPages } from "@suncrew/domain/csv/csv.ts";

/** §9: robot-activity-log-<date>.csv, the day in UTC. */
export function activityFileName(now: Date): string {
  return `robot-activity-log-${now.toISOString().slice(0, 10)}.csv`;
}

/**
 * The rows as CSV, written page by page while it is read: the next page is requested when the previous one was
 * consumed, and none after the stream was destroyed. `readPage` returns the rows older than a `log_id`, none at the
 * end; the first page is read before the stream begins, so that a failure becomes an error response.
 */
export async function activityFile(
  readPage: (cursor: string | undefined) => Promise<readonly ActivityCsvRow[]>,
  withPartner: boolean,
): Promise<Readable> {
  const shown = withPartner ? activityCsvColumnsWithPartner : activityCsvColumns;
  const first = await readPage(undefined);
  const pieces = writeCsvPages(shown, first, (last) => readPage(last?.log_id));
  return Readable.from(pieces, { objectMode: false });
}

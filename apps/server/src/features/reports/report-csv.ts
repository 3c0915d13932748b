import { setImmediate } from "node:timers/promises";
import { Readable } from "node:stream";
import { activityCsvColumns, type ActivityCsvRow } from "@suncrew/domain/activity/activity-csv.ts";
import { writeCsvPages } from "@suncrew/domain/csv/csv.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { noActivity, type ReportAsked, spanOf } from "./read-report.ts";
import { hasActivity, readActivityPage } from "./report-activity.queries.ts";
import { readReportSite } from "./report-site.queries.ts";

/** Rows that are in memory at a time. */
const PAGE = 1_000;

/**
 * All activity of a site over a range as CSV, newest first, read as fast as it is taken. Each page is a query of its own,
 * so that a slow reader holds no connection; rows that come meanwhile are newer than what follows and are left out.
 * Throws 404 for a site out of the viewer's scope and for a range without activity, 400 for a wrong range.
 */
export async function streamReportCsv(
  viewer: Viewer,
  db: Db,
  asked: ReportAsked,
): Promise<{ readonly siteName: string; readonly csv: Readable }> {
  const { site } = await readReportSite(viewer, db, asked.siteId);
  const range = { siteId: site.id, ...spanOf(asked, site.timezone) };
  if (!(await hasActivity(viewer, db, range))) throw noActivity();
  const readPage = async (before?: string) => {
    const rows = await readActivityPage(viewer, db, range, { limit: PAGE, ...(before !== undefined && { before }) });
    return rows.map(({ params, created_at, ...row }): ActivityCsvRow => ({
      ...row,
      created_at: created_at.toISOString(),
      paramsObj: params,
      timezone: site.timezone,
    }));
  };
  const pieces = writeCsvPages(activityCsvColumns, await readPage(), async (last) => {
    await setImmediate();
    return readPage(last?.log_id);
  });
  return { siteName: site.name, csv: Readable.from(pieces, { objectMode: false, highWaterMark: 65_536 }) };
}

import { setImmediate } from "node:timers/promises";
import { Readable } from "node:stream";
import { type CsvCell, writeCsvHead, writeCsvRows } from "@suncrew/domain/csv/csv.ts";
import { localTextOf } from "@suncrew/domain/reports/local-text.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/viewer.ts";
import { noActivity, type ReportAsked, spanOf } from "./read-report.ts";
import { type ActivityRow, hasActivity, readActivityPage } from "./report-activity.queries.ts";
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
  async function* write() {
    yield writeCsvHead(columnsOf(site.timezone));
    for (let before: string | null = null; ;) {
      const page: ActivityRow[] = await readActivityPage(viewer, db, range, {
        limit: PAGE,
        ...(before !== null && { before }),
      });
      yield writeCsvRows(page.map((row) => cellsOf(row, site.timezone)));
      before = page.at(-1)?.log_id ?? null;
      if (page.length < PAGE || before === null) return;
      await setImmediate();
    }
  }
  return { siteName: site.name, csv: Readable.from(write(), { objectMode: false, highWaterMark: 65_536 }) };
}

const columnsOf = (timezone: string): readonly string[] => [
  `Timestamp (${timezone})`,
  "Timestamp (UTC)",
  "Action",
  "Action Type",
  "UserName",
  "Status",
  "Site",
  "Robot",
  "Serial Number",
  "Mode",
  "Details",
  "Direction",
  "Main Speed",
  "Brush Speed",
];

function cellsOf(row: ActivityRow, timezone: string): CsvCell[] {
  return [
    localTextOf(row.created_at, timezone),
    row.created_at.toISOString(),
    row.action,
    row.action_type,
    row.user_name,
    row.status,
    row.site_name,
    row.robot_name,
    row.serial_number,
    row.params.mode,
    row.details,
    row.params.direction,
    row.params["main-speed"],
    row.params["brush-speed"],
  ];
}

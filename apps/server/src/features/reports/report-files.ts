import type { ReportMailFigures } from "@suncrew/contract/reports/reports.ts";
import { activityCsvColumns, type ActivityCsvRow } from "@suncrew/domain/activity/activity-csv.ts";
import { writeCsvPages } from "@suncrew/domain/csv/csv.ts";
import type { PrintedSection } from "@suncrew/domain/report-templates/template-sections.ts";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Db } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { fileTask } from "../../platform/workers/worker-task.ts";
import { readLogoRow, readPrintedTemplate } from "../report-templates/public.ts";
import type { ReportData } from "./report-data.ts";
import { writeReportPdf } from "./report-document.ts";
import { hasActivity, readActivityPage, readReportSite } from "./reports.queries.ts";
import { noActivity, readReport, type ReportRequest, spanOf } from "./reports.service.ts";

interface PdfRequest {
  readonly viewer: Viewer;
  readonly request: ReportRequest;
  readonly now: Date;
  readonly maintenanceIntervalDays: number;
  /** Determines the sections unless `sections` is set; null for all. */
  readonly templateId: number | null;
  readonly sections: readonly PrintedSection[] | null;
}

/** The report as a PDF; `partnerId` is the partner it names, `figures` are for its mail. Throws like `readReport`, and 404 without the template. */
export const reportPdfTask = fileTask("report as PDF", async (input: PdfRequest, { db, signal }) => {
  const { viewer, request, templateId, ...options } = input;
  const sections = input.sections ?? (await readPrintedTemplate(db, templateId)).sections;
  const data = await readReport(viewer, db, request, { ...options, signal });
  const value = { siteName: data.site.name, partnerId: data.partnerId, figures: mailFiguresOf(data) };
  return { value, bytes: writeReportPdf(data, sections, (await readLogoRow(db))?.content) };
});

function mailFiguresOf({ figures, outcomes }: ReportData): ReportMailFigures {
  const { RUNNING: _running, ...ended } = outcomes;
  return {
    runs: Object.values(ended).reduce((sum, one) => sum + one, 0),
    runs_done: outcomes.COMPLETED,
    minutes_cleaned: figures.minutes_cleaned,
    reachable_percent: figures.uptime,
  };
}

type CsvRequest = Pick<PdfRequest, "viewer" | "request">;

/** All activity of a site over a range as CSV. Throws like `streamReportCsv`. */
export const reportCsvTask = fileTask("report as CSV", async ({ viewer, request }: CsvRequest, { db }) => {
  const { siteName, csv } = await streamReportCsv(viewer, db, request);
  return { value: { siteName }, bytes: csv };
});

/** Rows in memory at a time. */
const CSV_PAGE_ROWS = 1_000;

/**
 * All activity of a site over a range as CSV, newest first, read as fast as it is consumed. Each page is a query of its
 * own, so that a slow reader holds no connection; rows added in the meantime are newer than what follows, and are left
 * out. Throws 404 for a site outside the viewer's scope and for a range without activity, 400 for an invalid range.
 */
export async function streamReportCsv(
  viewer: Viewer,
  db: Db,
  request: ReportRequest,
): Promise<{ readonly siteName: string; readonly csv: Readable }> {
  const { site } = await readReportSite(viewer, db, request.siteId);
  const range = { siteId: site.id, ...spanOf(request, site.timezone) };
  if (!(await hasActivity(viewer, db, range))) throw noActivity();
  const readPage = async (before?: string) => {
    const rows = await readActivityPage(viewer, db, range, { limit: CSV_PAGE_ROWS, before });
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

/**
 * §9: `<site>_report_<from>_to_<to>.<ending>` with the dates, as a Content-Disposition: plain characters for old
 * programs, the true name for all others (RFC 6266).
 */
export function attachmentHeader(siteName: string, { from, to }: ReportRequest, ending: "pdf" | "csv"): string {
  const rest = `_report_${from.slice(0, 10)}_to_${to.slice(0, 10)}.${ending}`;
  const name = siteName
    .normalize("NFC")
    // Characters with a special meaning to file systems, headers or shells; the joiners of Indian scripts stay.
    .replaceAll(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}<>:"/\\|?*;%]/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim()
    .replace(/^\.+|\.+$/g, "");
  const plain = name
    .normalize("NFKD")
    .replaceAll(/[^\x20-\x7e]/g, "")
    .trim();
  const encoded = encodeURIComponent(`${name || "site"}${rest}`).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain || "site"}${rest}"; filename*=UTF-8''${encoded}`;
}

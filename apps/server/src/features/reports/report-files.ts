import type { PrintedSection } from "@suncrew/domain/report-templates/template-sections.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { fileTask } from "../../platform/workers/worker-task.ts";
import { readPrintedTemplate } from "../report-templates/public.ts";
import { readReport, type ReportAsked } from "./read-report.ts";
import { streamReportCsv } from "./report-csv.ts";
import { writeReportPdf } from "./report-document.ts";

interface AskedPdf {
  readonly viewer: Viewer;
  readonly asked: ReportAsked;
  readonly now: Date;
  readonly maintenanceIntervalDays: number;
  /** Says which sections are printed, where they are not given; null is all. */
  readonly templateId: number | null;
  readonly sections: readonly PrintedSection[] | null;
}

/** The report of a site as a PDF. `partnerId` is the partner that it tells of. Throws like `readReport`, and 404 without the template. */
export const reportPdfTask = fileTask("report as PDF", async (given: AskedPdf, { db, signal }) => {
  const { viewer, asked, templateId, ...terms } = given;
  const sections = given.sections ?? (await readPrintedTemplate(db, templateId)).sections;
  const data = await readReport(viewer, db, asked, { ...terms, signal });
  return { value: { siteName: data.site.name, partnerId: data.partnerId }, bytes: writeReportPdf(data, sections) };
});

interface AskedCsv {
  readonly viewer: Viewer;
  readonly asked: ReportAsked;
}

/** All activity of a site over a range as CSV. Throws like `streamReportCsv`. */
export const reportCsvTask = fileTask("report as CSV", async ({ viewer, asked }: AskedCsv, { db }) => {
  const { siteName, csv } = await streamReportCsv(viewer, db, asked);
  return { value: { siteName }, bytes: csv };
});

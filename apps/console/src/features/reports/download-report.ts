import { readFile, send } from "../../platform/api/call.ts";
import { monthlyReportFile, reportCsv, reportPdf, type MonthlyReport } from "@suncrew/contract/reports/reports.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { isRefusedAs, messageOf } from "../../platform/api/errors.ts";
import { saveFile } from "../../platform/save-file.ts";
import { type ReportChoice, reportFileName } from "./report-choice.ts";

export type ReportKind = "pdf" | "csv";

const TEMPLATE_UNAVAILABLE =
  "Error downloading report: The chosen template is no longer available. Please try again with another one.";

export interface Download {
  readonly site: Pick<Site, "id" | "name">;
  readonly choice: Pick<ReportChoice, "from" | "to" | "templateId">;
  readonly kind: ReportKind;
  readonly signal: AbortSignal;
  /** Called with the number of bytes received so far. */
  readonly onBytes: (bytes: number) => void;
}

/** A year of a large site takes long before the first byte is sent; the user can cancel. */
const FIRST_BYTE_MS = 120_000;

/** Fetches the report and passes it to the browser to save; returns its name. Throws as calls do. */
export async function downloadReport({ site, choice, kind, signal, onBytes }: Download): Promise<string> {
  const range = {
    site_id: site.id,
    site_name: site.name,
    from: `${choice.from} 00:00:00`,
    to: `${choice.to} 23:59:59`,
  };
  const answer =
    kind === "csv"
      ? await send(reportCsv, { body: range }, { signal, timeoutMs: FIRST_BYTE_MS })
      : await send(
          reportPdf,
          { body: { ...range, ...(choice.templateId !== null && { template_id: choice.templateId }) } },
          { signal, timeoutMs: FIRST_BYTE_MS },
        );
  const name = reportFileName(site.name, choice, kind);
  saveFile(await readFile(answer, { signal, onBytes }), name);
  return name;
}

/** Saves a stored monthly report. Throws as calls do. */
export async function downloadMonthlyReport({ id, site_name, month }: MonthlyReport): Promise<void> {
  const answer = await send(monthlyReportFile, { params: { reportId: id } });
  const [year = 1970, number = 1] = month.split("-").map(Number);
  const last = new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
  saveFile(await readFile(answer), reportFileName(site_name, { from: `${month}-01`, to: last }, "pdf"));
}

/** True if the server no longer offers the chosen template. */
export function isTemplateUnavailable(error: unknown): boolean {
  return isRefusedAs(error, "TEMPLATE_NOT_FOUND");
}

/** §8 Report download: the message for a failure. */
export function failureMessage(error: unknown): string {
  if (isRefusedAs(error, "NO_ACTIVITY")) return "No Data Found: No activity logs found between these dates";
  if (isRefusedAs(error, "SITE_NOT_FOUND")) return "Site not found";
  if (isTemplateUnavailable(error)) return TEMPLATE_UNAVAILABLE;
  const message = messageOf(error) ?? "The server did not answer";
  return `Error downloading report: ${message.replace(/\.$/, "")}. Please try again.`;
}

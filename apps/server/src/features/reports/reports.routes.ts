import { reportCsv, reportPdf } from "@suncrew/contract/reports/reports.ts";
import { MAINTENANCE_INTERVAL_DAYS } from "@suncrew/domain/reports/maintenance-due.ts";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../platform/clock.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import { register } from "../../platform/http/register.ts";
import { type Workers, workOwnerOf } from "../../platform/workers/workers.ts";
import { attachmentHeader, reportCsvTask, reportPdfTask } from "./report-files.ts";

export function reportsRoutes(app: FastifyInstance, deps: Dependencies, workers: Workers): void {
  const { clock, settings } = deps;

  register(app, reportPdf, async ({ viewer, body, reply, signal }) => {
    const report = { siteId: body.site_id, from: body.from, to: body.to };
    const maintenanceIntervalDays = settings.maintenanceIntervalDays ?? MAINTENANCE_INTERVAL_DAYS;
    const templateId = body.template_id ?? null;
    const input = { viewer, request: report, now: clock.now(), maintenanceIntervalDays, templateId, sections: null };
    const { value, bytes } = await withTimeLimit(clock, signal, (limit) =>
      workers.make(reportPdfTask, input, { owner: workOwnerOf(viewer), signal: limit }),
    );
    void reply.header("content-disposition", attachmentHeader(value.siteName, report, "pdf"));
    return bytes;
  });

  register(app, reportCsv, async ({ viewer, body, reply, signal }) => {
    const report = { siteId: body.site_id, from: body.from, to: body.to };
    const { value, bytes } = await withTimeLimit(clock, signal, (limit) =>
      workers.make(reportCsvTask, { viewer, request: report }, { owner: workOwnerOf(viewer), signal: limit }),
    );
    void reply.header("content-disposition", attachmentHeader(value.siteName, report, "csv"));
    return bytes;
  });
}

/** Time limit for an interactive report, including its wait in the queue. */
export const REPORT_TIMEOUT_MS = 2 * 60_000;

/** The result of `work`, whose signal aborts when the time is over, which throws 503, or the caller disconnects. */
export async function withTimeLimit<T>(
  clock: Clock,
  disconnected: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const cancel = clock.after(REPORT_TIMEOUT_MS, () => timeout.abort());
  try {
    return await work(AbortSignal.any([disconnected, timeout.signal]));
  } catch (error) {
    if (!timeout.signal.aborted || error instanceof HttpError) throw error;
    throw new HttpError(503, "REPORT_TIMEOUT", "The report took too long. Choose a shorter range, or try again later.");
  } finally {
    cancel();
  }
}

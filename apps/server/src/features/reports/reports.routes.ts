import { reportCsv, reportPdf } from "@suncrew/contract/reports/reports.ts";
import { MAINTENANCE_INTERVAL_DAYS } from "@suncrew/domain/reports/maintenance-due.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { workOwnerOf, type Workers } from "../../platform/workers/workers.ts";
import { reportCsvTask, reportPdfTask } from "./report-files.ts";
import { attachmentOf } from "./report-file-name.ts";
import { withinLimit } from "./report-limit.ts";

export function reportsRoutes(app: FastifyInstance, deps: Dependencies, workers: Workers): void {
  const { clock, settings } = deps;

  register(app, reportPdf, async ({ viewer, body, reply, signal }) => {
    const asked = { siteId: body.site_id, from: body.from, to: body.to };
    const maintenanceIntervalDays = settings.maintenanceIntervalDays ?? MAINTENANCE_INTERVAL_DAYS;
    const templateId = body.template_id ?? null;
    const given = { viewer, asked, now: clock.now(), maintenanceIntervalDays, templateId, sections: null };
    const { value, bytes } = await withinLimit(clock, signal, (limit) =>
      workers.make(reportPdfTask, given, { asker: workOwnerOf(viewer), signal: limit }),
    );
    void reply.header("content-disposition", attachmentOf(value.siteName, asked, "pdf"));
    return bytes;
  });

  register(app, reportCsv, async ({ viewer, body, reply, signal }) => {
    const asked = { siteId: body.site_id, from: body.from, to: body.to };
    const { value, bytes } = await withinLimit(clock, signal, (limit) =>
      workers.make(reportCsvTask, { viewer, asked }, { asker: workOwnerOf(viewer), signal: limit }),
    );
    void reply.header("content-disposition", attachmentOf(value.siteName, asked, "csv"));
    return bytes;
  });
}

import { reportCsv, reportPdf } from "@suncrew/contract/reports/reports.ts";
import { MAINTENANCE_INTERVAL_DAYS } from "@suncrew/domain/reports/maintenance-due.ts";
import type { FastifyInstance } from "fastify";
import { AtMost } from "../../platform/at-most.ts";
import { register } from "../../platform/http/register.ts";
import type { Parts } from "../../platform/parts.ts";
import { readPrintedTemplate } from "../report-templates/public.ts";
import { readReport } from "./read-report.ts";
import { streamReportCsv } from "./report-csv.ts";
import { writeReportPdf } from "./report-document.ts";
import { attachmentOf } from "./report-file-name.ts";
import { withinLimit } from "./report-limit.ts";

/** Each keeps a connection of the database until its figures are read: the others are for everybody else. */
const READ_AT_ONCE = 2;

export function reportsRoutes(app: FastifyInstance, parts: Parts): void {
  const { db, clock, settings } = parts;
  const gate = new AtMost(READ_AT_ONCE);

  register(app, reportPdf, async ({ viewer, body, reply, signal }) => {
    const asked = { siteId: body.site_id, from: body.from, to: body.to };
    const template = await readPrintedTemplate(db, body.template_id);
    const maintenanceIntervalDays = settings.maintenanceIntervalDays ?? MAINTENANCE_INTERVAL_DAYS;
    const data = await withinLimit(clock, signal, (limit) =>
      gate.run(limit, () =>
        readReport(viewer, db, asked, { now: clock.now(), maintenanceIntervalDays, signal: limit }),
      ),
    );
    void reply.header("content-disposition", attachmentOf(data.site.name, asked, "pdf"));
    return writeReportPdf(data, template.sections);
  });

  register(app, reportCsv, async ({ viewer, body, reply }) => {
    const asked = { siteId: body.site_id, from: body.from, to: body.to };
    const { siteName, csv } = await streamReportCsv(viewer, db, asked);
    void reply.header("content-disposition", attachmentOf(siteName, asked, "csv"));
    return csv;
  });
}

import {
  makeMonthlyReport,
  monthlyReportFile,
  monthlyReportMail,
  monthlyReportPreview,
  monthlyReports,
  sendMonthlyReport,
} from "@suncrew/contract/reports/reports.ts";
import { monthRange } from "@suncrew/domain/reports/report-months.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { attachmentHeader } from "../reports/public.ts";
import { readMonthlyReportFile, readMonthlyReports } from "./monthly-reports.queries.ts";
import { ReportSending } from "./report-sending.service.ts";

export function monthlyReportsRoutes(app: FastifyInstance, deps: Dependencies): void {
  const { db } = deps;
  register(app, monthlyReports, ({ viewer, query }) => readMonthlyReports(viewer, db, query));
  register(app, monthlyReportFile, async ({ viewer, params, reply }) => {
    const { pdf, siteId, siteName, month } = await readMonthlyReportFile(viewer, db, params.reportId);
    void reply.header("content-disposition", attachmentHeader(siteName, { siteId, ...monthRange(month) }, "pdf"));
    return pdf;
  });
  const sending = new ReportSending(deps);
  register(app, makeMonthlyReport, ({ viewer, body }) => sending.make(viewer, body));
  register(app, monthlyReportMail, ({ viewer, params }) => sending.mail(viewer, params.reportId));
  register(app, monthlyReportPreview, ({ viewer, params, query }) => sending.preview(viewer, params.reportId, query));
  register(app, sendMonthlyReport, ({ viewer, params, body }) => sending.send(viewer, params.reportId, body));
}

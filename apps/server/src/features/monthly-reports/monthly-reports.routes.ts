import { monthlyReportFile, monthlyReports } from "@suncrew/contract/reports/reports.ts";
import { monthRange } from "@suncrew/domain/reports/report-months.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { attachmentHeader } from "../reports/public.ts";
import { readMonthlyReportFile, readMonthlyReports } from "./monthly-reports.queries.ts";

export function monthlyReportsRoutes(app: FastifyInstance, { db }: Dependencies): void {
  register(app, monthlyReports, ({ viewer, query }) => readMonthlyReports(viewer, db, query));
  register(app, monthlyReportFile, async ({ viewer, params, reply }) => {
    const { pdf, siteId, siteName, month } = await readMonthlyReportFile(viewer, db, params.reportId);
    void reply.header("content-disposition", attachmentHeader(siteName, { siteId, ...monthRange(month) }, "pdf"));
    return pdf;
  });
}

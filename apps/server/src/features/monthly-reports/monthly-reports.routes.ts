import { keptReportFile, keptReports } from "@suncrew/contract/reports/reports.ts";
import { monthRange } from "@suncrew/domain/reports/monthly-reports.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { attachmentHeader } from "../reports/public.ts";
import { readKeptFile, readKeptReports } from "./monthly-reports.queries.ts";

export function monthlyReportsRoutes(app: FastifyInstance, { db }: Dependencies): void {
  register(app, keptReports, ({ viewer, query }) => readKeptReports(viewer, db, query));
  register(app, keptReportFile, async ({ viewer, params, reply }) => {
    const { pdf, siteId, siteName, month } = await readKeptFile(viewer, db, params.reportId);
    void reply.header("content-disposition", attachmentHeader(siteName, { siteId, ...monthRange(month) }, "pdf"));
    return pdf;
  });
}

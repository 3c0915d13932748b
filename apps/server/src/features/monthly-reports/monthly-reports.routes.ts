import { keptReportFile, keptReports } from "@suncrew/contract/reports/reports.ts";
import { monthRange } from "@suncrew/domain/reports/site-month.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { attachmentOf } from "../reports/public.ts";
import { readKeptFile, readKeptReports } from "./kept-reports.queries.ts";

export function monthlyReportsRoutes(app: FastifyInstance, { db }: Dependencies): void {
  register(app, keptReports, ({ viewer, query }) => readKeptReports(viewer, db, query));
  register(app, keptReportFile, async ({ viewer, params, reply }) => {
    const { pdf, siteId, siteName, month } = await readKeptFile(viewer, db, params.reportId);
    void reply.header("content-disposition", attachmentOf(siteName, { siteId, ...monthRange(month) }, "pdf"));
    return pdf;
  });
}

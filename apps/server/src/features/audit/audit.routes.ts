import { auditList, exportAudit } from "@suncrew/contract/audit/audit.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { auditPage } from "./audit.service.ts";
import { auditFileName, auditCsv } from "./audit-csv.ts";

export function auditRoutes(app: FastifyInstance, deps: Dependencies): void {
  const { db, clock } = deps;

  register(app, auditList, ({ viewer, query }) => auditPage(viewer, db, query));

  register(app, exportAudit, async ({ viewer, query, reply }) => {
    const file = await auditCsv(viewer, db, query);
    void reply.header("content-disposition", `attachment; filename="${auditFileName(clock.now())}"`);
    return file;
  });
}

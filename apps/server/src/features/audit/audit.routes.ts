import { auditList } from "@suncrew/contract/audit/audit.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Parts } from "../../platform/parts.ts";
import { auditPage } from "./audit.service.ts";

export function auditRoutes(app: FastifyInstance, parts: Parts): void {
  register(app, auditList, ({ viewer, query }) => auditPage(viewer, parts.db, query));
}

import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { seenAt } from "./last-seen.ts";
import { readSites } from "./sites.queries.ts";

export function sitesRoutes(app: FastifyInstance, deps: Dependencies): void {
  register(app, siteDetails, ({ viewer }) => readSites(viewer, deps.db, seenAt(deps)));
}

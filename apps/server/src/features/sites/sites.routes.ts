import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { SiteDetails } from "./site-details.ts";

export function sitesRoutes(app: FastifyInstance, deps: Dependencies): void {
  const details = new SiteDetails(deps);
  register(app, siteDetails, ({ viewer }) => details.answer(viewer));
}

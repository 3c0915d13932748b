import { energyAtRisk, siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import { siteStrategies } from "@suncrew/contract/soiling/soiling-strategies.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { register } from "../../platform/http/register.ts";
import { readEnergyAtRisk } from "./soiling.queries.ts";
import type { SoilingOfSites, StrategiesOfSites } from "./soiling.service.ts";

export function soilingRoutes(
  app: FastifyInstance,
  deps: Dependencies,
  soiling: SoilingOfSites,
  strategies: StrategiesOfSites,
): void {
  register(app, siteSoiling, ({ viewer, params }) => soiling.answer(viewer, params.siteId));

  register(app, siteStrategies, ({ viewer, params }) => strategies.of(viewer, params.siteId));

  register(app, energyAtRisk, ({ viewer }) => readEnergyAtRisk(viewer, deps.db, deps.clock.now()));
}

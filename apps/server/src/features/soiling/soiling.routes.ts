import { energyAtRisk, siteSoiling } from "@suncrew/contract/soiling/soiling.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { register } from "../../platform/http/register.ts";
import { readEnergyAtRisk, readSiteSoiling } from "./soiling.queries.ts";

export function soilingRoutes(app: FastifyInstance, { db }: Dependencies): void {
  register(app, siteSoiling, ({ viewer, params }) => readSiteSoiling(viewer, db, params.siteId));
  register(app, energyAtRisk, ({ viewer }) => readEnergyAtRisk(viewer, db));
}

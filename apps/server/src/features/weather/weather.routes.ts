import { siteWeather } from "@suncrew/contract/weather/weather.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { readWeatherSite } from "./weather.queries.ts";
import type { Forecasts } from "./weather.service.ts";

export function weatherRoutes(app: FastifyInstance, deps: Dependencies, forecasts: Forecasts): void {
  register(app, siteWeather, async ({ viewer, params: { siteId } }) =>
    forecasts.at(await readWeatherSite(viewer, deps.db, siteId)),
  );
}

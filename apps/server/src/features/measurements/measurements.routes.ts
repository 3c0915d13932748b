import {
  correctModel,
  measuredComparison,
  takeCorrectionBack,
} from "@suncrew/contract/measurements/measured-against-model.ts";
import {
  deleteMeasurements,
  exportMeasurements,
  importMeasurements,
  measuredDays,
  storeMeasurements,
} from "@suncrew/contract/measurements/measurements.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { register } from "../../platform/http/register.ts";
import type { Workers } from "../../platform/workers/workers.ts";
import type { SoilingOfSites } from "../soiling/public.ts";
import { Measurements } from "./measurements.service.ts";

export function measurementRoutes(
  app: FastifyInstance,
  deps: Dependencies,
  workers: Workers,
  soiling: SoilingOfSites,
): void {
  const measurements = new Measurements(deps, workers, soiling);

  register(app, measuredDays, ({ viewer, params, query }) => measurements.days(viewer, params.siteId, query));

  register(app, measuredComparison, ({ viewer, params }) => measurements.comparison(viewer, params.siteId));

  register(app, correctModel, ({ viewer, params, body }) => measurements.correct(viewer, params.siteId, body));

  register(app, takeCorrectionBack, ({ viewer, params, query }) =>
    measurements.takeBack(viewer, params.siteId, query.fact),
  );

  register(app, storeMeasurements, ({ viewer, params, body }) => measurements.store(viewer, params.siteId, body));

  register(app, importMeasurements, ({ viewer, params, body, signal }) =>
    measurements.import(viewer, params.siteId, body, signal),
  );

  register(app, exportMeasurements, ({ viewer, params, query, reply, signal }) => {
    void reply.header("content-disposition", 'attachment; filename="measurements.csv"');
    return measurements.export(viewer, params.siteId, query, signal);
  });

  register(app, deleteMeasurements, ({ viewer, params, query }) => measurements.delete(viewer, params.siteId, query));
}

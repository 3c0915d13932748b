import type { FastifyInstance } from "fastify";
import type { Settings } from "../../platform/dependencies.ts";
import { requireMetricsAccess } from "./metrics-access.ts";
import type { Metrics } from "./metrics.service.ts";

/** Times every call, and serves the metrics. Comes before the other features, whose calls it times. */
export function metricsRoutes(app: FastifyInstance, settings: Settings, metrics: Metrics): void {
  app.addHook("onResponse", async (request, reply) => {
    const { url, config } = request.routeOptions;
    // A stream takes as long as somebody looks at it.
    if (config.route?.stream === true) return;
    // The template, never the address as it was asked for: that anybody may write.
    const isKnown = url !== undefined && url !== "";
    metrics.called(isKnown ? request.method : "any", isKnown ? url : "none", reply.statusCode, reply.elapsedTime);
  });
  app.route({
    method: "GET",
    url: "/metrics",
    // Without a token whoever asks on this machine is answered: no page of elsewhere may do it by a name of its own.
    config: { anyHost: (settings.metricsToken ?? null) !== null },
    handler: async (request, reply) => {
      void reply.header("cache-control", "no-store");
      requireMetricsAccess(request, settings);
      const { type, text } = await metrics.page();
      return reply.type(type).send(text);
    },
  });
}

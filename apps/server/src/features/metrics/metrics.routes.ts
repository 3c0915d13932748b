import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Settings } from "../../platform/dependencies.ts";
import { forbidden, notSignedIn } from "../../platform/http/http-error.ts";
import { isSameSecret } from "../../platform/secrets.ts";
import type { Metrics } from "./metrics.service.ts";

/** Times every call and serves the metrics. Registered before the other features, whose calls it times. */
export function metricsRoutes(app: FastifyInstance, settings: Settings, metrics: Metrics): void {
  app.addHook("onResponse", async (request, reply) => {
    const { url, config } = request.routeOptions;
    // A stream lasts as long as its client stays connected.
    if (config.route?.stream === true) return;
    // The template, never the requested path, which callers can choose freely.
    const isKnown = url !== undefined && url !== "";
    metrics.requestDuration.observe(
      { method: isKnown ? request.method : "any", route: isKnown ? url : "none", status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
  });
  app.route({
    method: "GET",
    url: "/metrics",
    // Without a token any caller on this machine is answered, so no foreign page may call it under a host name of its
    // own.
    config: { anyHost: (settings.metricsToken ?? null) !== null },
    handler: async (request, reply) => {
      void reply.header("cache-control", "no-store");
      requireMetricsAccess(request, settings);
      const { type, text } = await metrics.page();
      return reply.type(type).send(text);
    },
  });
}

const forwarding = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/**
 * Throws if this caller may not read the metrics. If there is a token it must be sent. Otherwise a demo shows them to
 * programs on its own machine, and production, which is behind a proxy, to nobody.
 */
function requireMetricsAccess(request: FastifyRequest, settings: Settings): void {
  const token = settings.metricsToken ?? null;
  if (token !== null) {
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (!isSameSecret(sent, token))
      throw notSignedIn("The metrics are read with the token of METRICS_TOKEN.", "SERVICE_TOKEN_REQUIRED");
    return;
  }
  if (settings.mode === "demo" && isFromHere(request)) return;
  throw forbidden("METRICS_TOKEN is not set, so the metrics are only available on this machine.", "METRICS_NOT_SHARED");
}

/** From this machine, and not forwarded by a proxy on it. */
function isFromHere({ socket, headers }: FastifyRequest): boolean {
  if (forwarding.some((name) => headers[name] !== undefined)) return false;
  return /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? "");
}

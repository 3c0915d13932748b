import compress from "@fastify/compress";
import helmet from "@fastify/helmet";
import { type FastifyInstance, type FastifyServerOptions, LogController } from "fastify";
import { constants } from "node:zlib";
import { ThrottledLog } from "../throttle.ts";
import type { Dependencies, Settings } from "../dependencies.ts";
import type { Workers } from "../workers/workers.ts";
import { serveConsole } from "./console-files.ts";
import { contentPolicy } from "./content-policy.ts";
import { answerError, useErrorHandler } from "./error-handler.ts";
import { checkHost } from "./host-check.ts";
import { HttpError } from "./http-error.ts";
import { isCall, KnownCalls, pathOf } from "./not-found.ts";
import { BODY_LIMIT_BYTES, useJsonBodies } from "./request-body.ts";

/** What Fastify must be made with for the answers of this folder. */
export function httpOptions(settings: Settings): FastifyServerOptions {
  return {
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // Who sends a request slower than this holds a connection for nothing.
    requestTimeout: 60_000,
    // Every call says its own method; a HEAD of the live stream would be a stream.
    exposeHeadRoutes: false,
    // Anybody can write a forwarded address; only a known proxy is believed.
    trustProxy: settings.trustedProxies === undefined ? false : [...settings.trustedProxies],
    frameworkErrors: answerError,
    // A server that stops answers what still comes on a connection under way: it may be a Stop.
    return503OnClosing: false,
  };
}

/** Headers, bodies, errors, compression and the console's files: all of HTTP that no feature owns. Comes before the features. */
export async function useHttpPlatform(
  app: FastifyInstance,
  { settings, clock, log }: Pick<Dependencies, "settings" | "clock" | "log">,
  workers: Workers,
): Promise<void> {
  const failures = new ThrottledLog(log, clock);
  app.addHook("onClose", () => failures.stop());
  const tileUrl = settings.mapTiles?.url ?? null;
  const calls = new KnownCalls(app);
  useErrorHandler(app, failures);
  useJsonBodies(app, workers);
  await app.register(helmet, {
    contentSecurityPolicy: false,
    // Open tile services turn away who does not say where the request comes from.
    referrerPolicy: { policy: "strict-origin-when-cross-origin" },
    frameguard: { action: "deny" },
    // Browsers heed it over TLS only, which production has in front. Other names of the domain are not Suncrew's to decide on.
    hsts: settings.mode === "production" && { includeSubDomains: settings.hstsSubdomains === true },
  });
  const policy = contentPolicy({ tileUrl });
  app.addHook("onRequest", async (request, reply) => {
    void reply.header("content-security-policy", policy);
    if (isCall(pathOf(request.url))) void reply.header("cache-control", "no-store");
  });
  checkHost(app, settings);
  await app.register(compress, {
    threshold: 1024,
    encodings: ["br", "gzip"],
    // The live stream is not among them: it must never be held back.
    customTypes: /^(application\/(json|javascript|geo\+json)|text\/(html|css|csv|javascript|plain)|image\/svg\+xml)/,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
  const answerPage = settings.consoleDir === null ? null : await serveConsole(app, settings.consoleDir, tileUrl);
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request.url);
    if (isCall(path)) throw calls.refusalOf(path);
    if (answerPage !== null && (await answerPage(request, reply))) return reply;
    throw new HttpError(404, "Not found");
  });
}

import compress from "@fastify/compress";
import helmet from "@fastify/helmet";
import { type FastifyInstance, type FastifyRequest, type FastifyServerOptions, LogController } from "fastify";
import { isIP } from "node:net";
import type { Dependencies, Settings } from "../dependencies.ts";
import { isLoopback } from "../network.ts";
import { ThrottledLog } from "../throttle.ts";
import type { Workers } from "../workers/workers.ts";
import { contentPolicy, serveConsole } from "./console-files.ts";
import { answerError, useErrorHandler } from "./error-handler.ts";
import { HttpError } from "./http-error.ts";
import { brotliOptions, COMPRESS_FROM, encodings } from "./register.ts";
import { BODY_LIMIT_BYTES, useJsonBodies } from "./request-body.ts";

/** Fastify options that the rest of this folder relies on. */
export function httpOptions(settings: Settings): FastifyServerOptions {
  return {
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // A slower request only blocks a connection.
    requestTimeout: 60_000,
    // A HEAD of the live stream would itself be a stream.
    exposeHeadRoutes: false,
    // Anyone can forge a forwarded address; only known proxies are trusted.
    trustProxy: settings.trustedProxies === undefined ? false : [...settings.trustedProxies],
    frameworkErrors: answerError,
    // A server that is stopping still answers requests on open connections: one may be a Stop.
    return503OnClosing: false,
  };
}

/** Headers, bodies, errors, compression and the console's files: all of HTTP that no feature owns. Register it before the features. */
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
    // Open tile services reject requests without a referrer.
    referrerPolicy: { policy: "strict-origin-when-cross-origin" },
    frameguard: { action: "deny" },
    // Browsers honour it over TLS only, which production has in front. Other subdomains are not Suncrew's to decide on.
    hsts: settings.mode === "production" && { includeSubDomains: settings.hstsSubdomains === true },
  });
  const policy = contentPolicy({ tileUrl });
  app.addHook("onRequest", async (request, reply) => {
    void reply.header("content-security-policy", policy);
    if (isCall(pathOf(request.url))) void reply.header("cache-control", "no-store");
  });
  checkHost(app, settings);
  await app.register(compress, {
    threshold: COMPRESS_FROM,
    encodings: [...encodings],
    // The live stream is not among them: compression would delay it.
    customTypes: /^(application\/(json|javascript|geo\+json)|text\/(html|css|csv|javascript|plain)|image\/svg\+xml)/,
    brotliOptions,
  });
  const { consoleDir, mode } = settings;
  const answerPage = consoleDir === null ? null : await serveConsole(app, consoleDir, { tileUrl, mode });
  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request.url);
    if (isCall(path)) throw calls.refusalOf(path);
    if (answerPage !== null && (await answerPage(request, reply))) return reply;
    throw new HttpError(404, "PAGE_NOT_FOUND", "Not found");
  });
}

type OwnAddress = Pick<Settings, "publicUrl" | "answersByIp">;

/**
 * Refuses requests for a host name that is not Suncrew's with 421: another site's page may have pointed its own name at
 * this server's address (DNS rebinding), and could read the answers. Only the Host header counts, not what a proxy says
 * about it.
 */
function checkHost(app: FastifyInstance, settings: OwnAddress): void {
  app.addHook("onRequest", async (request, reply) => {
    const { route, anyHost } = request.routeOptions.config;
    if (route?.anyHost === true || anyHost === true) return undefined;
    const refusal = hostRefusal(request.headers.host, settings);
    if (refusal === null) return undefined;
    if (isCall(pathOf(request.url))) throw new HttpError(421, "UNKNOWN_HOST", refusal);
    return reply.status(421).header("cache-control", "no-store").type("text/plain; charset=utf-8").send(refusal);
  });
}

/** Why a request with this Host is refused; null if it is not. */
export function hostRefusal(host: string | undefined, { publicUrl, answersByIp = false }: OwnAddress): string | null {
  const name = nameIn(host);
  const own = publicUrl?.() ?? null;
  if (name !== null) {
    if (isLoopback(name) || (own !== null && name === nameIn(URL.parse(own)?.host))) return null;
    if (answersByIp && isIP(name.replace(/^\[|\]$/g, "")) !== 0) return null;
  }
  if (!answersByIp && own !== null) return `Suncrew is not reached by this name. Open it at ${own}.`;
  return "Suncrew does not know this name as its own. Set PUBLIC_URL to the address at which people open it, or open it by its IP address.";
}

/** The name or address in a Host header, without the port, as URLs write it; null if there is none. */
function nameIn(host: string | undefined): string | null {
  if (host === undefined || !/^(?:\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+)(?::\d{0,5})?$/i.test(host)) return null;
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : null;
}

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** Remembers the calls, to distinguish a wrong method from a wrong path. Register it before the routes. */
class KnownCalls {
  readonly #paths = new Map<string, KnownPath>();

  constructor(app: FastifyInstance) {
    app.addHook("onRoute", ({ url, method }) => {
      if (!url.startsWith("/api/")) return;
      const pattern = new RegExp(`^${url.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/:\w+/g, "[^/]+")}/?$`);
      const known = this.#paths.get(url) ?? { pattern, methods: new Set<string>() };
      for (const each of [method].flat()) known.methods.add(each);
      this.#paths.set(url, known);
    });
  }

  /** 405 if the path has other methods, else 404. */
  refusalOf(path: string): HttpError {
    const known = [...this.#paths.values()].find(({ pattern }) => pattern.test(path));
    if (!known) return new HttpError(404, "UNKNOWN_CALL", "There is no such call.");
    return new HttpError(405, "METHOD_NOT_ALLOWED", `This call is made by ${[...known.methods].join(" or ")} only.`);
  }
}

function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}

/** True for any path of the API, whose answers are always JSON. */
function isCall(path: string): boolean {
  return path === "/api" || path.startsWith("/api/");
}

/** How long a server that is stopping waits for calls, in milliseconds. */
interface DrainLimits {
  /** For those that are not answered yet. */
  readonly answerMs: number;
  /** For answers that have not been read yet: a connection that nobody reads must not delay the shutdown. */
  readonly sendMs: number;
}

/** The calls that have no answer yet, so that a server that is stopping still answers them. */
export class InFlightRequests {
  readonly #http: FastifyInstance;
  readonly #unanswered = new Set<FastifyRequest>();
  #ending = false;
  #onNone: () => void = () => {};

  constructor(http: FastifyInstance) {
    this.#http = http;
    http.addHook("onRequest", async (request) => void this.#unanswered.add(request));
    // A stream counts as answered once it begins.
    http.addHook("onSend", async (request, reply) => {
      if (this.#ending) void reply.header("connection", "close");
      this.#answered(request);
    });
    http.addHook("onResponse", async (request) => this.#answered(request));
  }

  /** Closes the server: no new connections, then an answer to every call, then the end of the connections. */
  async end(close: () => Promise<void>, { answerMs, sendMs }: DrainLimits): Promise<void> {
    const closeAll = () => this.#http.server.closeAllConnections();
    const timers = [setTimeout(closeAll, answerMs)];
    this.#ending = true;
    this.#onNone = () => timers.push(setTimeout(() => this.#unanswered.size === 0 && closeAll(), sendMs));
    if (this.#unanswered.size === 0) this.#onNone();
    await close();
    this.#onNone = () => {};
    for (const timer of timers) clearTimeout(timer);
  }

  #answered(request: FastifyRequest): void {
    if (this.#unanswered.delete(request) && this.#unanswered.size === 0) this.#onNone();
  }
}

import fastifyRateLimit from "@fastify/rate-limit";
import type { TokenClaims } from "@suncrew/contract/auth/auth.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import { mayCall, permissions } from "@suncrew/domain/auth/permissions.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { forbidden, HttpError, notSignedIn } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { ThrottledAudit } from "../audit/public.ts";
import { clientNetwork } from "./sign-in-limits.ts";
import type { SessionReader } from "./session-reader.ts";
import { type BrowserCookies, readToken } from "./tokens.ts";
import { wallboardEnded, type WallboardLinks } from "./wallboard-links.ts";

const names = new Map<RouteSpec, RouteName>((Object.keys(routes) as RouteName[]).map((name) => [routes[name], name]));

interface GuardDependencies {
  readonly clock: Dependencies["clock"];
  readonly sessions: SessionReader;
  readonly limits: CallLimits;
  readonly refusals: ThrottledAudit;
  readonly cookies: BrowserCookies;
  readonly links: WallboardLinks;
}

/**
 * Admits calls by the permission table (§6). A route below `/api/` that is not in the table cannot even be registered.
 * The session's row is read for every call of a signed-in user, so that its end takes effect immediately; calls are
 * counted before that, so that an excess call costs no query.
 */
export function useGuard(
  app: FastifyInstance,
  { clock, sessions, limits, refusals, cookies, links }: GuardDependencies,
): void {
  /** Calls whose viewer comes from memory, with the database's answer once it arrives. */
  const unconfirmed = new WeakMap<FastifyRequest, Promise<Viewer | null>>();
  /** Calls that may be a Stop, with the claims of their token. */
  const maybeStops = new WeakMap<FastifyRequest, TokenClaims>();
  /** The refusal of a token whose session has ended. A wallboard's cookie, which would stay for a year, is removed with it. */
  const ended = (reply: FastifyReply, claims: TokenClaims): HttpError => {
    if (claims.wallboard !== true) return notSignedIn();
    cookies.clear(reply.request, reply, claims.sid);
    return wallboardEnded();
  };
  /** Whoever a token belongs to, by its session. Throws 401 without one. */
  const requireViewer = (reply: FastifyReply, claims: TokenClaims, viewer: Viewer | null): Viewer => {
    if (viewer === null || viewer.userId !== claims.id) throw ended(reply, claims);
    return viewer;
  };
  const admit = async (reply: FastifyReply, name: RouteName, claims: TokenClaims, viewer: Viewer | null) => {
    const caller = requireViewer(reply, claims, viewer);
    if (!mayCall(caller.role, name, caller.isWallboard)) {
      if (routes[name].method !== "GET") await recordRefusal(refusals, caller, name);
      throw caller.isWallboard === true ? forbidden("A wallboard does not show or change this.") : forbidden();
    }
    reply.request.viewer = caller;
  };
  app.addHook("onRoute", ({ url, method, config }) => {
    if (!url.startsWith("/api") && config?.route === undefined) return;
    if (config?.fileFor !== undefined && config.route === undefined) return;
    const name = config?.route && names.get(config.route);
    if (name === undefined || !Object.hasOwn(permissions, name)) {
      throw new Error(
        `${[method].flat().join(", ")} ${url} has no line in the permission table (packages/domain/src/auth/permissions.ts).`,
      );
    }
  });
  app.addHook("onRequest", async (request, reply) => {
    const { fileFor } = request.routeOptions.config;
    const name = nameOf(request);
    if (name === null && fileFor !== "signed-in") return;
    const claims = readToken(app, request.headers.authorization, clock);
    // A token whose session has ended does not count as a call of its owner.
    if (sessions.hasEnded(claims.sid)) throw ended(reply, claims);
    // Nor does one that came without its browser: it counts for nobody, and is no person's Stop.
    if (claims.bound === true && !cookies.has(request, claims.sid)) {
      const owner = await sessions.ownerOf(claims.sid);
      if (owner?.userId === claims.id) await recordMissingCookie(refusals, owner, clientNetwork(request));
      throw claims.wallboard === true && owner !== null
        ? wallboardEnded("Open this wallboard's link again in this browser.")
        : ended(reply, claims);
    }
    if (name === null) {
      await limits.count(callerOf(claims), "file", reply);
      const { isWallboard } = requireViewer(reply, claims, await sessions.read(claims.sid));
      if (isWallboard === true) throw forbidden("A wallboard does not show this.");
      return;
    }
    // A wallboard has no Stop, so it is refused before anything else.
    if (mayStop.has(name) && claims.wallboard !== true) {
      maybeStops.set(request, claims);
      return;
    }
    await limits.count(callerOf(claims), name, reply);
    await admit(reply, name, claims, await sessions.read(claims.sid));
    if (request.viewer?.isWallboard === true) links.noteUse(claims.sid);
  });
  // Only the body shows whether it is a Stop, which no limit delays.
  app.addHook("preValidation", async (request, reply) => {
    const claims = maybeStops.get(request);
    const name = nameOf(request);
    if (claims === undefined || name === null) return;
    if (!isStop(request)) await limits.count(callerOf(claims), name, reply);
    const { viewer, confirmed } = await sessions.readForStop(claims.sid);
    await admit(reply, name, claims, viewer);
    if (confirmed !== null) unconfirmed.set(request, confirmed);
  });
  // Only a Stop is accepted from a person known from memory alone.
  app.addHook("preHandler", async (request) => {
    const confirmed = unconfirmed.get(request);
    if (confirmed === undefined || isStop(request)) return;
    const viewer = await confirmed;
    if (viewer === null || viewer.userId !== request.viewer?.userId) throw notSignedIn();
    request.viewer = viewer;
  });
}

/** A wallboard's calls are not those of the person who made its link. */
const callerOf = ({ wallboard, sid, id }: TokenClaims) => (wallboard === true ? sid : id);

/** Null if no session is needed; anything that is not an API call is a file of the console, or nothing at all. */
function nameOf({ routeOptions }: FastifyRequest): RouteName | null {
  const { route } = routeOptions.config;
  const name = route && names.get(route);
  return name === undefined || permissions[name].access === "anyone" ? null : name;
}

/** Calls that may be a person's Stop, which must not depend on the database (protocol rule 3). */
const mayStop: ReadonlySet<RouteName> = new Set([
  "sendCommand",
  "groupSendCommand",
  "robotsSendCommand",
  "siteStop",
  "fleetStop",
]);

function isStop({ body, routeOptions }: FastifyRequest): boolean {
  const { route } = routeOptions.config;
  if (route === routes.siteStop || route === routes.fleetStop) return true;
  return typeof body === "object" && body !== null && "command" in body && body.command === "STOP";
}

/** An attempt at a change that the role never allows is recorded like any other refused change. */
async function recordRefusal(refusals: ThrottledAudit, viewer: Viewer, name: RouteName): Promise<void> {
  await refusals.record(`${viewer.userId} ${name}`, {
    actor: viewer,
    action: name.replaceAll(/[A-Z]/g, "_$&").toUpperCase(),
    entity: "call",
    outcome: "REFUSED",
    reason: "The role does not allow this.",
  });
}

/** A stolen token, or a browser that lost its cookie: the owner should know. */
async function recordMissingCookie(refusals: ThrottledAudit, owner: Viewer, address: string): Promise<void> {
  await refusals.record(`stranger in ${owner.sessionId}`, {
    actor: owner,
    action: "USE_SESSION",
    entity: "session",
    entityId: owner.sessionId,
    outcome: "REFUSED",
    reason: "The token came without the cookie of the browser that signed in.",
    after: { address },
  });
}

/**
 * Calls that one person may make to one server in a minute, in all sessions together. Far more than any console with
 * many tabs and any script that works through a fleet needs; a script that calls without pause reaches it.
 */
export const CALLS_PER_MINUTE = { reads: 10_000, writes: 3_000, files: 300 } as const;
type CallsPerMinute = Readonly<Record<keyof typeof CALLS_PER_MINUTE, number>>;

/** Calls with files that are expensive to create or to read. */
const fileCalls: ReadonlySet<RouteName> = new Set(["reportPdf", "reportCsv", "importSites", "importRobots"]);

/** Counts the calls of each signed-in person and of each wallboard's link. The caller must not count a Stop (protocol rule 3). */
export class CallLimits {
  readonly #callers = new WeakMap<FastifyRequest, number | string>();
  readonly #counters: Readonly<Record<keyof CallsPerMinute, Counter>>;

  private constructor(app: FastifyInstance, { reads, writes, files }: CallsPerMinute) {
    const keyGenerator = (request: FastifyRequest) => this.#callers.get(request) ?? "nobody";
    const counter = (max: number) => app.createRateLimit({ max, timeWindow: 60_000, keyGenerator });
    this.#counters = { reads: counter(reads), writes: counter(writes), files: counter(files) };
  }

  static async open(app: FastifyInstance, limits: CallsPerMinute = CALLS_PER_MINUTE): Promise<CallLimits> {
    await app.register(fastifyRateLimit, { global: false });
    return new CallLimits(app, limits);
  }

  /** `name` is "file" for a file of the console. Throws 429, with Retry-After, after too many calls within a minute. */
  async count(caller: number | string, name: RouteName | "file", reply: FastifyReply): Promise<void> {
    // The number of live streams is limited instead.
    if (name === "live") return;
    const { request } = reply;
    this.#callers.set(request, caller);
    const counted = await this.#counters[kindOf(name)](request);
    if (counted.isAllowed || !counted.isExceeded) return;
    const seconds = Math.max(1, counted.ttlInSeconds);
    void reply.header("retry-after", seconds);
    const wait = `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
    throw new HttpError(
      429,
      "ACCOUNT_RATE_LIMITED",
      `Too many requests from your account within a minute. Try again in ${wait}.`,
    );
  }
}

function kindOf(name: RouteName | "file"): keyof CallsPerMinute {
  if (name === "file") return "reads";
  if (fileCalls.has(name)) return "files";
  return routes[name].method === "GET" ? "reads" : "writes";
}

type Counter = ReturnType<FastifyInstance["createRateLimit"]>;

import fastifyRateLimit from "@fastify/rate-limit";
import type { TokenClaims } from "@suncrew/contract/auth/auth.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import { mayCall, permissions } from "@suncrew/domain/auth/permissions.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { forbidden, HttpError, notSignedIn } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { GatheredAudit } from "../audit/public.ts";
import { networkOfCaller } from "./sign-in-limits.ts";
import type { SessionReader } from "./session-reader.ts";
import { type BrowserCookies, readToken } from "./tokens.ts";

const names = new Map<RouteSpec, RouteName>();
for (const name of Object.keys(routes) as RouteName[]) names.set(routes[name], name);

interface GuardDependencies {
  readonly clock: Dependencies["clock"];
  readonly sessions: SessionReader;
  readonly limits: CallLimits;
  readonly refusals: GatheredAudit;
  readonly cookies: BrowserCookies;
}

/**
 * Lets a call through by the permission table (§6). A route below `/api/` that is not in the table cannot even be
 * registered. The session's row is read for every call of a signed-in user, so that its end shows at once; a person's
 * calls are counted before that, so that one too many costs no query.
 */
export function useGuard(
  app: FastifyInstance,
  { clock, sessions, limits, refusals, cookies }: GuardDependencies,
): void {
  /** Calls whose viewer is remembered, with what the database says once it can. */
  const unconfirmed = new WeakMap<FastifyRequest, Promise<Viewer | null>>();
  /** Calls that may be a Stop, with whose they are. */
  const stopping = new WeakMap<FastifyRequest, TokenClaims>();
  const admit = async (request: FastifyRequest, name: RouteName, claims: TokenClaims, viewer: Viewer | null) => {
    const person = known(claims, viewer);
    if (!mayCall(person.role, name)) {
      if (routes[name].method !== "GET") await recordRefusal(refusals, person, name);
      throw forbidden();
    }
    request.viewer = person;
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
    // A token that was signed out is not its owner's call.
    if (sessions.isOver(claims.sid)) throw notSignedIn();
    // Nor is one that came without its browser: it counts for nobody, and is no Stop of a person.
    if (claims.bound === true && !cookies.has(request, claims.sid)) {
      const owner = await sessions.ownerOf(claims.sid);
      if (owner?.userId === claims.id) await recordStranger(refusals, owner, networkOfCaller(request));
      throw notSignedIn();
    }
    if (name === null) {
      await limits.count(claims.id, "file", reply);
      known(claims, await sessions.read(claims.sid));
      return;
    }
    if (mayStop.has(name)) {
      stopping.set(request, claims);
      return;
    }
    await limits.count(claims.id, name, reply);
    await admit(request, name, claims, await sessions.read(claims.sid));
  });
  // Only the body tells a Stop, which no limit holds up.
  app.addHook("preValidation", async (request, reply) => {
    const claims = stopping.get(request);
    const name = nameOf(request);
    if (claims === undefined || name === null) return;
    if (!isStop(request)) await limits.count(claims.id, name, reply);
    const { viewer, confirmed } = await sessions.readForStop(claims.sid);
    await admit(request, name, claims, viewer);
    if (confirmed !== null) unconfirmed.set(request, confirmed);
  });
  // Once the body is known: nothing but a Stop is taken from who was signed in a while ago.
  app.addHook("preHandler", async (request) => {
    const confirmed = unconfirmed.get(request);
    if (confirmed === undefined || isStop(request)) return;
    const viewer = await confirmed;
    if (viewer === null || viewer.userId !== request.viewer?.userId) throw notSignedIn();
    request.viewer = viewer;
  });
}

/** The person of a token by its session; throws 401 where there is none. */
function known(claims: TokenClaims, viewer: Viewer | null): Viewer {
  if (viewer === null || viewer.userId !== claims.id) throw notSignedIn();
  return viewer;
}

/** Null where no session is asked for; what is none of the calls is a file of the console, or nothing at all. */
function nameOf({ routeOptions }: FastifyRequest): RouteName | null {
  const { route } = routeOptions.config;
  const name = route && names.get(route);
  return name === undefined || permissions[name].access === "anyone" ? null : name;
}

/** Calls that may be a person's Stop, which must not depend on the database (protocol rule 3). */
const mayStop: ReadonlySet<RouteName> = new Set(["sendCommand", "groupSendCommand", "siteStop"]);

function isStop({ body, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.config.route === routes.siteStop) return true;
  return typeof body === "object" && body !== null && "command" in body && body.command === "STOP";
}

/** Who tries to change what the role never may is on record like any other refused change. */
async function recordRefusal(refusals: GatheredAudit, viewer: Viewer, name: RouteName): Promise<void> {
  await refusals.record(`${viewer.userId} ${name}`, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: name.replaceAll(/[A-Z]/g, "_$&").toUpperCase(),
    entity: "call",
    outcome: "REFUSED",
    reason: "The role does not allow this.",
  });
}

/** A token that was carried off from its browser, or a browser that lost its cookie: its owner should know. */
async function recordStranger(refusals: GatheredAudit, owner: Viewer, address: string): Promise<void> {
  await refusals.record(`stranger in ${owner.sessionId}`, {
    actor: { userId: owner.userId, name: owner.name },
    action: "USE_SESSION",
    entity: "session",
    entityId: owner.sessionId,
    outcome: "REFUSED",
    reason: "The token came without the cookie of the browser that signed in.",
    after: { address },
  });
}

/**
 * What one person may ask of one server in a minute, with all sessions together. Far beyond any console with many tabs
 * and any script that works through a fleet; one that sends without a pause meets it.
 */
export const CALLS_PER_MINUTE = { reads: 10_000, writes: 3_000, files: 300 } as const;
type CallsPerMinute = Readonly<Record<keyof typeof CALLS_PER_MINUTE, number>>;

/** Files that are heavy to make or to read; a person has one at a time all the same. */
const isFile: ReadonlySet<RouteName> = new Set(["reportPdf", "reportCsv", "importSites", "importRobots"]);

/** Counts the calls of each signed-in person. A Stop is never counted (protocol rule 3): whoever asks looks first. */
export class CallLimits {
  readonly #callers = new WeakMap<FastifyRequest, number>();
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

  /** `name` is "file" for what is no call. Throws 429, with Retry-After, where the person has made too many calls in this minute. */
  async count(userId: number, name: RouteName | "file", reply: FastifyReply): Promise<void> {
    // Live streams are bounded by their number.
    if (name === "live") return;
    const { request } = reply;
    this.#callers.set(request, userId);
    const counted = await this.#counters[kindOf(name)](request);
    if (counted.isAllowed || !counted.isExceeded) return;
    const seconds = Math.max(1, counted.ttlInSeconds);
    void reply.header("retry-after", seconds);
    const wait = `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
    throw new HttpError(429, `Too many requests from your account within a minute. Try again in ${wait}.`);
  }
}

function kindOf(name: RouteName | "file"): keyof CallsPerMinute {
  if (name === "file") return "reads";
  if (isFile.has(name)) return "files";
  return routes[name].method === "GET" ? "reads" : "writes";
}

type Counter = ReturnType<FastifyInstance["createRateLimit"]>;

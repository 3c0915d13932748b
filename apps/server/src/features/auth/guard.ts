import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { mayCall, permissions } from "@suncrew/domain/auth/permissions.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { forbidden, notSignedIn } from "../../platform/http/http-error.ts";
import type { Parts } from "../../platform/parts.ts";
import type { Viewer } from "../../platform/viewer.ts";
import { recordAudit } from "../audit/public.ts";
import type { SessionReader } from "./session-reader.ts";
import { readToken } from "./tokens.ts";

const names = new Map<RouteSpec, RouteName>();
for (const name of Object.keys(routes) as RouteName[]) names.set(routes[name], name);

/**
 * Lets a call through by the permission table (§6). A route below `/api/` that is not in the table cannot even be
 * registered. The session's row is read for every call of a signed-in user, so that its end shows at once.
 */
export function useGuard(app: FastifyInstance, parts: Parts, sessions: SessionReader): void {
  /** Calls whose viewer is remembered, with what the database says once it can. */
  const unconfirmed = new WeakMap<FastifyRequest, Promise<Viewer | null>>();
  app.addHook("onRoute", ({ url, method, config }) => {
    if (!url.startsWith("/api") && config?.route === undefined) return;
    if (config?.publicFile === true && config.route === undefined) return;
    const name = config?.route && names.get(config.route);
    if (name === undefined || !Object.hasOwn(permissions, name)) {
      throw new Error(
        `${[method].flat().join(", ")} ${url} has no line in the permission table (packages/domain/src/auth/permissions.ts).`,
      );
    }
  });
  app.addHook("onRequest", async (request) => {
    const { route } = request.routeOptions.config;
    const name = route && names.get(route);
    // What has no name is none of the calls: a file of the console, or nothing at all.
    if (name === undefined || permissions[name].access === "anyone") return;
    const claims = readToken(app, request.headers.authorization, parts.clock);
    const { viewer, confirmed } = mayStop.has(name)
      ? await sessions.readForStop(claims.sid)
      : { viewer: await sessions.read(claims.sid), confirmed: null };
    if (viewer === null || viewer.userId !== claims.id) throw notSignedIn();
    if (confirmed !== null) unconfirmed.set(request, confirmed);
    if (!mayCall(viewer.role, name)) {
      if (route?.method !== "GET") await recordRefusal(parts, viewer, name);
      throw forbidden();
    }
    request.viewer = viewer;
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

/** Calls that may be a person's Stop, which must not depend on the database (protocol rule 3). */
const mayStop: ReadonlySet<RouteName> = new Set(["sendCommand", "groupSendCommand", "siteStop"]);

function isStop({ body, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.config.route === routes.siteStop) return true;
  return typeof body === "object" && body !== null && "command" in body && body.command === "STOP";
}

/** Who tries to change what the role never may is on record like any other refused change. */
async function recordRefusal(parts: Parts, viewer: Viewer, name: RouteName): Promise<void> {
  await recordAudit(parts.db, {
    actor: { userId: viewer.userId, name: viewer.name },
    action: name.replaceAll(/[A-Z]/g, "_$&").toUpperCase(),
    entity: "call",
    outcome: "REFUSED",
    reason: "The role does not allow this.",
    at: parts.clock.now(),
  });
}

import { type RouteName, routes } from "@suncrew/contract/routes.ts";
import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { mayCall, permissions } from "@suncrew/domain/auth/permissions.ts";
import type { FastifyInstance } from "fastify";
import { forbidden, notSignedIn } from "../../platform/http/http-error.ts";
import type { Parts } from "../../platform/parts.ts";
import { readSession } from "../../platform/sessions.ts";
import type { Viewer } from "../../platform/viewer.ts";
import { recordAudit } from "../audit/public.ts";
import { readToken } from "./tokens.ts";

const names = new Map<RouteSpec, RouteName>();
for (const name of Object.keys(routes) as RouteName[]) names.set(routes[name], name);

/**
 * Lets a call through by the permission table (§6). A route below `/api/` that is not in the table cannot even be
 * registered. The session's row is read for every call of a signed-in user, so that its end shows at once.
 */
export function useGuard(app: FastifyInstance, parts: Parts): void {
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
    const viewer = await readSession(parts.db, claims.sid, parts.clock.now());
    if (viewer === null || viewer.userId !== claims.id) throw notSignedIn();
    if (!mayCall(viewer.role, name)) {
      if (route?.method !== "GET") await recordRefusal(parts, viewer, name);
      throw forbidden();
    }
    request.viewer = viewer;
  });
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

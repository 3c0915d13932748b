import { robotDetailsWithSettings, robotsList } from "@suncrew/contract/robots/robots.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { requireSite, seenAt } from "../sites/public.ts";
import { readRobots } from "./robots.queries.ts";

export function robotsRoutes(app: FastifyInstance, deps: Dependencies): void {
  register(app, robotDetailsWithSettings, async ({ viewer, params: { siteId } }) => {
    await requireSite(viewer, deps.db, siteId);
    return { robots: await readRobots(viewer, deps.db, seenAt(deps), { siteId }) };
  });

  register(app, robotsList, async ({ viewer, params: { siteId } }) => {
    await requireSite(viewer, deps.db, siteId);
    const robots = await readRobots(viewer, deps.db, seenAt(deps), { siteId });
    return robots.map(({ robot_id, ...robot }) => ({ ...robot, id: robot_id }));
  });
}

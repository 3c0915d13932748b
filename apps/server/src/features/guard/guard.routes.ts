import { assignSensor, removeSensor, siteGuard, updateSiteGuard } from "@suncrew/contract/guard/site-guard.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { ReadHours } from "./guard.repository.ts";
import { SiteGuards } from "./guard.service.ts";

export function guardRoutes(app: FastifyInstance, deps: Dependencies, readHours: ReadHours): void {
  const guards = new SiteGuards(deps, readHours);
  register(app, siteGuard, ({ viewer, params }) => guards.read(viewer, params.siteId));
  register(app, updateSiteGuard, async ({ viewer, params, body }) => {
    await guards.update(viewer, params.siteId, body);
    return { message: "Weather limits updated successfully" };
  });
  register(app, assignSensor, ({ viewer, params, body }) =>
    guards.assignSensor(viewer, params.siteId, body.serial_number),
  );
  register(app, removeSensor, ({ viewer, params }) => guards.removeSensor(viewer, params.siteId));
}

import { groupMaintenance, robotMaintenance, robotsMaintenance } from "@suncrew/contract/maintenance/maintenance.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { type Commands, pressOf } from "../commands/public.ts";
import { Maintenance } from "./maintenance.service.ts";

export function maintenanceRoutes(app: FastifyInstance, deps: Dependencies, commands: Commands): void {
  const maintenance = new Maintenance(deps, commands);
  register(app, robotMaintenance, ({ viewer, params, body, request }) =>
    maintenance.setRobot(viewer, params.robotId, body, pressOf(request, viewer, deps.clock)),
  );
  register(app, groupMaintenance, ({ viewer, params, body, request }) =>
    maintenance.setGroup(viewer, params.groupId, body, pressOf(request, viewer, deps.clock)),
  );
  register(app, robotsMaintenance, ({ viewer, body, request }) =>
    maintenance.setRobots(viewer, body, pressOf(request, viewer, deps.clock)),
  );
}

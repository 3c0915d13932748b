import {
  createGroup,
  deleteGroup,
  fleetStop,
  groupList,
  groupSendCommand,
  robotsSendCommand,
  siteStop,
  updateGroup,
} from "@suncrew/contract/groups/groups.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type Commands, keyOf, pressOf } from "../commands/public.ts";
import { stopFleet } from "./fleet-stop.ts";
import { commandGroup, commandRobots, deleteGroupOf, saveGroup, stopSite } from "./groups.service.ts";
import { readGroups } from "./groups.queries.ts";

export function groupsRoutes(app: FastifyInstance, deps: Dependencies, commands: Commands): void {
  const { db, clock } = deps;
  const callOf = (request: FastifyRequest, viewer: Viewer) => ({
    key: keyOf(request),
    press: pressOf(request, viewer, clock),
  });
  register(app, groupList, ({ viewer, params }) => readGroups(viewer, db, params.siteId));
  register(app, createGroup, async ({ viewer, body }) => ({
    message: "Group created successfully" as const,
    groupId: await saveGroup(db, viewer, null, body, clock.now()),
  }));
  register(app, updateGroup, async ({ viewer, params, body }) => {
    await saveGroup(db, viewer, params.groupId, body, clock.now());
    return { message: "Group updated successfully" as const };
  });
  register(app, deleteGroup, async ({ viewer, params }) => {
    await deleteGroupOf(db, viewer, params.groupId, clock.now());
    return { message: "Group deleted successfully" };
  });
  register(app, groupSendCommand, ({ viewer, body, request }) =>
    commandGroup(deps, commands, viewer, body, callOf(request, viewer)),
  );
  register(app, siteStop, ({ viewer, body, request }) =>
    stopSite(deps, commands, viewer, body, callOf(request, viewer)),
  );
  register(app, robotsSendCommand, ({ viewer, body, request }) =>
    commandRobots(commands, viewer, body, callOf(request, viewer)),
  );
  register(app, fleetStop, ({ viewer, body, request }) =>
    stopFleet(deps, commands, viewer, body, callOf(request, viewer)),
  );
}

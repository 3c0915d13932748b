import {
  createGroup,
  deleteGroup,
  groupList,
  groupSendCommand,
  siteStop,
  updateGroup,
} from "@suncrew/contract/groups/groups.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { type Commands, pressOf } from "../commands/public.ts";
import { commandGroup, deleteGroupOf, saveGroup, stopSite } from "./groups.service.ts";
import { readGroups } from "./groups.queries.ts";

export function groupsRoutes(app: FastifyInstance, deps: Dependencies, commands: Commands): void {
  const { db, clock } = deps;
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
    commandGroup(deps, commands, viewer, body, pressOf(request, viewer, clock)),
  );
  register(app, siteStop, ({ viewer, body, request }) =>
    stopSite(deps, commands, viewer, body.siteId, pressOf(request, viewer, clock)),
  );
}

import {
  createGroup,
  deleteGroup,
  groupList,
  groupSendCommand,
  siteStop,
  updateGroup,
} from "@suncrew/contract/groups/groups.ts";
import type { FastifyInstance } from "fastify";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type Commands, pressOf } from "../commands/public.ts";
import { commandGroup, deleteGroupOf, type GroupBody, saveGroup, stopSite } from "./groups.service.ts";
import { readGroups } from "./groups.queries.ts";

export function groupsRoutes(app: FastifyInstance, deps: Dependencies, commands: Commands): void {
  const { db, clock } = deps;
  const save = async (viewer: Viewer, groupId: number | null, body: GroupBody): Promise<number> => {
    const saved = await transactionWithRetry(db, (tx) => saveGroup(tx, viewer, groupId, body, clock.now()));
    if (saved.kind === "refused") throw saved.error;
    return saved.groupId;
  };
  register(app, groupList, ({ viewer, params }) => readGroups(viewer, db, params.siteId));
  register(app, createGroup, async ({ viewer, body }) => ({
    message: "Group created successfully" as const,
    groupId: await save(viewer, null, body),
  }));
  register(app, updateGroup, async ({ viewer, params, body }) => {
    await save(viewer, params.groupId, body);
    return { message: "Group updated successfully" as const };
  });
  register(app, deleteGroup, async ({ viewer, params }) => {
    await transactionWithRetry(db, (tx) => deleteGroupOf(tx, viewer, params.groupId, clock.now()));
    return { message: "Group deleted successfully" };
  });
  register(app, groupSendCommand, ({ viewer, body, request }) =>
    commandGroup(deps, commands, viewer, body, pressOf(request, viewer, clock)),
  );
  register(app, siteStop, ({ viewer, body, request }) =>
    stopSite(deps, commands, viewer, body.siteId, pressOf(request, viewer, clock)),
  );
}

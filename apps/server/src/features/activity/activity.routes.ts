import {
  ACTIVITY_DEFAULT_LIMIT,
  activityLogs,
  activityUsers,
  exportActivity,
} from "@suncrew/contract/activity/activity.ts";
import { COUNT_LIMIT } from "@suncrew/contract/http/page.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { activityFile, activityFileName } from "./activity-file.ts";
import { readActivityForFile, readActivityPage, readActivityUsers, requireFilterInScope } from "./activity.queries.ts";

/** Rows read at a time by the export. */
const EXPORT_PAGE = 2_000;

export function activityRoutes(app: FastifyInstance, deps: Dependencies): void {
  const { db } = deps;

  register(app, activityLogs, async ({ viewer, query: { limit, cursor, exact_total, ...filter } }) => {
    await requireFilterInScope(viewer, db, filter);
    return readActivityPage(viewer, db, {
      filter,
      cursor,
      limit: limit ?? ACTIVITY_DEFAULT_LIMIT,
      countLimit: exact_total === true ? null : COUNT_LIMIT,
    });
  });

  register(app, exportActivity, async ({ viewer, query: filter, reply }) => {
    await requireFilterInScope(viewer, db, filter);
    const readPage = (cursor: string | undefined) =>
      readActivityForFile(viewer, db, { filter, cursor, limit: EXPORT_PAGE });
    const file = await activityFile(readPage, viewer.role === "SUPER_ADMIN");
    void reply.header("content-disposition", `attachment; filename="${activityFileName(deps.clock.now())}"`);
    return file;
  });

  register(app, activityUsers, ({ viewer }) => readActivityUsers(viewer, db));
}

import {
  ACTIVITY_DEFAULT_LIMIT,
  activityLogs,
  activityUsers,
  exportActivity,
} from "@suncrew/contract/activity/activity.ts";
import { COUNT_LIMIT } from "@suncrew/contract/http/page.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Parts } from "../../platform/parts.ts";
import { activityFile, activityFileName } from "./activity-file.ts";
import { readActivity, readActivityPage, readActivityUsers } from "./activity.queries.ts";

/** Rows that the export reads at once. */
const EXPORT_PAGE = 2_000;

export function activityRoutes(app: FastifyInstance, parts: Parts): void {
  register(app, activityLogs, ({ viewer, query: { limit, cursor, exact_total, ...filter } }) =>
    readActivityPage(viewer, parts.db, {
      filter,
      cursor,
      limit: limit ?? ACTIVITY_DEFAULT_LIMIT,
      countLimit: exact_total === true ? null : COUNT_LIMIT,
    }),
  );

  register(app, exportActivity, ({ viewer, query: filter, reply }) => {
    void reply.header("content-disposition", `attachment; filename="${activityFileName(parts.clock.now())}"`);
    return activityFile(
      (cursor) => readActivity(viewer, parts.db, { filter, cursor, limit: EXPORT_PAGE }),
      viewer.role === "SUPER_ADMIN",
    );
  });

  register(app, activityUsers, ({ viewer }) => readActivityUsers(viewer, parts.db));
}

import { ACTIVITY_DEFAULT_LIMIT, activityLogs } from "@suncrew/contract/activity/activity.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Parts } from "../../platform/parts.ts";
import { countActivity, readActivity } from "./activity.queries.ts";

export function activityRoutes(app: FastifyInstance, parts: Parts): void {
  register(app, activityLogs, async ({ viewer, query }) => {
    const limit = query.limit ?? ACTIVITY_DEFAULT_LIMIT;
    const rows = await readActivity(viewer, parts.db, {
      limit: limit + 1,
      ...(query.cursor !== undefined && { cursor: query.cursor }),
    });
    const logs = rows.slice(0, limit);
    const hasMore = rows.length > limit;
    return {
      logs,
      total: await countActivity(viewer, parts.db),
      total_exact: true,
      next_cursor: hasMore ? (logs.at(-1)?.log_id ?? null) : null,
    };
  });
}

import {
  ACTIVITY_DEFAULT_LIMIT,
  activityLogs,
  activityUsers,
  exportActivity,
} from "@suncrew/contract/activity/activity.ts";
import { COUNT_LIMIT } from "@suncrew/contract/http/page.ts";
import {
  activityCsvColumns,
  activityCsvColumnsWithPartner,
  type ActivityCsvRow,
} from "@suncrew/domain/activity/activity-csv.ts";
import { writeCsvPages } from "@suncrew/domain/csv/csv.ts";
import type { FastifyInstance } from "fastify";
import { Readable } from "node:stream";
import type { Dependencies } from "../../platform/dependencies.ts";
import { register } from "../../platform/http/register.ts";
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

/** §9: robot-activity-log-<date>.csv, the day in UTC. */
export function activityFileName(now: Date): string {
  return `robot-activity-log-${now.toISOString().slice(0, 10)}.csv`;
}

/**
 * The rows as CSV, written page by page while it is read: the next page is requested when the previous one was
 * consumed, and none after the stream was destroyed. `readPage` returns the rows older than a `log_id`, none at the
 * end; the first page is read before the stream begins, so that a failure becomes an error response.
 */
export async function activityFile(
  readPage: (cursor: string | undefined) => Promise<readonly ActivityCsvRow[]>,
  withPartner: boolean,
): Promise<Readable> {
  const shown = withPartner ? activityCsvColumnsWithPartner : activityCsvColumns;
  const first = await readPage(undefined);
  const pieces = writeCsvPages(shown, first, (last) => readPage(last?.log_id));
  return Readable.from(pieces, { objectMode: false });
}

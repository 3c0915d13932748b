import { REPORT_ACTIVITY_ROWS } from "@suncrew/contract/reports/reports.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";
import type { Newest, ReportActivity } from "./report-data.ts";
import { type ReportScope, reportTime } from "./report-scope.ts";

type ActivityRange = Pick<ReportScope, "siteId" | "from" | "to">;

function activityOf(viewer: Viewer, db: Executor, { siteId, from, to }: ActivityRange) {
  return visibleSites(viewer, db)
    .innerJoin("activity as a", "a.site_id", "sites.id")
    .where("sites.id", "=", siteId)
    .where("a.created_at", ">=", from)
    .where("a.created_at", "<", to);
}

/** False where there is nothing to report. */
export async function hasActivity(viewer: Viewer, db: Executor, range: ActivityRange): Promise<boolean> {
  const first = await activityOf(viewer, db, range).select("a.site_id").limit(1).executeTakeFirst();
  return first !== undefined;
}

/** The newest rows of the activity table, and how many there are beside them. */
export async function readReportActivity(
  viewer: Viewer,
  db: Executor,
  scope: ReportScope,
): Promise<{ readonly activity: Newest<ReportActivity>; readonly sample: boolean }> {
  const { total } = await activityOf(viewer, db, scope)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await readActivityPage(viewer, db, scope, { limit: REPORT_ACTIVITY_ROWS });
  return {
    activity: {
      rows: rows.map((row) => ({
        at: reportTime(row.created_at, scope.timezone),
        action: row.action,
        actionType: row.action_type,
        userName: row.user_name,
        status: row.status,
        robotName: row.robot_name,
        serialNumber: row.serial_number,
        details: row.details,
      })),
      rest: total - rows.length,
    },
    sample: rows.some(({ sample }) => sample),
  };
}

/** Rows of a range, newest first; those older than the row `before` where that is given. */
export async function readActivityPage(
  viewer: Viewer,
  db: Executor,
  range: ActivityRange,
  page: { readonly limit: number; readonly before?: string },
) {
  let query = activityOf(viewer, db, range)
    .select(["a.created_at", "a.action", "a.action_type", "a.user_name", "a.status", "a.site_name"])
    .select(["a.robot_name", "a.serial_number", "a.details", "a.params", "a.sample"])
    .select(sql<string>`a.log_id::text`.as("log_id"))
    .orderBy("a.created_at", "desc")
    .orderBy("a.log_id", "desc")
    .limit(page.limit);
  if (page.before !== undefined) {
    query = query.where(
      sql<boolean>`(a.created_at, a.log_id) < (select c.created_at, c.log_id from activity c where c.log_id = ${page.before}::bigint)`,
    );
  }
  return query.execute();
}

export type ActivityRow = Awaited<ReturnType<typeof readActivityPage>>[number];

/** What the audit has of the site in the range: by the server itself, and by people. */
export async function countChanges(
  viewer: Viewer,
  db: Executor,
  { siteId, from, to }: ActivityRange,
): Promise<{ readonly bySystem: number; readonly byPeople: number }> {
  const { total, byPeople } = await visibleSites(viewer, db)
    .innerJoin("audit", "audit.site_id", "sites.id")
    .where("sites.id", "=", siteId)
    .where("audit.at", ">=", from)
    .where("audit.at", "<", to)
    .select((eb) => [eb.fn.countAll<number>().as("total"), eb.fn.count<number>("audit.user_id").as("byPeople")])
    .executeTakeFirstOrThrow();
  return { bySystem: total - byPeople, byPeople };
}

import type { ActivityEntry } from "@suncrew/contract/activity/activity.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/viewer.ts";
import { sitesEverVisible } from "../sites/public.ts";

export interface ActivityChoice {
  /** Rows older than this one follow; its `log_id`. */
  readonly cursor?: string;
  readonly limit?: number;
  readonly logIds?: readonly string[];
}

/** STARTs and STOPs at the viewer's sites, deleted ones too, newest first. A partner is not told partners' names (§6). */
export async function readActivity(
  viewer: Viewer,
  db: Executor,
  choice: ActivityChoice = {},
): Promise<ActivityEntry[]> {
  if (choice.logIds?.length === 0) return [];
  let query = sitesEverVisible(viewer, db)
    .innerJoin("activity as a", "a.site_id", "sites.id")
    .select(["a.created_at", "a.action", "a.action_type", "a.user_name", "a.status", "a.site_id", "a.site_name"])
    .select(["a.partner_name", "a.robot_name", "a.serial_number", "a.details", "a.params"])
    .select(sql<string>`a.log_id::text`.as("log_id"))
    .orderBy("a.created_at", "desc")
    .orderBy("a.log_id", "desc");
  if (choice.limit !== undefined) query = query.limit(choice.limit);
  if (choice.logIds !== undefined) query = query.where("a.log_id", "=", sql<number>`any(${choice.logIds}::bigint[])`);
  if (choice.cursor !== undefined) {
    query = query.where(
      sql<boolean>`(a.created_at, a.log_id) < (select c.created_at, c.log_id from activity c where c.log_id = ${choice.cursor}::bigint)`,
    );
  }
  const rows = await query.execute();
  return rows.map(({ params, partner_name, ...row }) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    paramsObj: params,
    ...(viewer.role === "SUPER_ADMIN" && { partner_name }),
  }));
}

/** How many rows there are at the viewer's sites, deleted ones too. */
export async function countActivity(viewer: Viewer, db: Executor): Promise<number> {
  const { total } = await sitesEverVisible(viewer, db)
    .innerJoin("activity as a", "a.site_id", "sites.id")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

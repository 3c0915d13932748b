import type { Run } from "@suncrew/contract/runs/runs.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { requireSiteEver, sitesEverVisible } from "../sites/public.ts";
import { reasonInWords, stoppedBy } from "./run-reasons.ts";

export interface RunChoice {
  readonly ids?: readonly string[];
  readonly siteId?: number | undefined;
  readonly robotId?: number | undefined;
  /** Runs due or begun from this instant on, and before that one. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** `microseconds~id` of the run after which the page begins. */
  readonly cursor?: string | undefined;
  readonly limit?: number;
}

/** Runs at the viewer's sites, deleted ones too, newest first, with the cursor of each and the names of then. */
export async function readRuns(
  viewer: Viewer,
  db: Executor,
  choice: RunChoice,
): Promise<{ readonly run: Run; readonly cursor: string }[]> {
  let query = sitesEverVisible(viewer, db)
    .innerJoin("runs", "runs.site_id", "sites.id")
    .select(["runs.id", "runs.site_id", "runs.robot_id", "runs.robot_name", "runs.serial_number"])
    .select(["runs.schedule_id", "runs.group_id", "runs.group_name", "runs.action_type", "runs.started_by"])
    .select(["runs.due_at", "runs.stop_due_at", "runs.began_at", "runs.ended_at", "runs.battery_began"])
    .select(["runs.battery_ended", "runs.outcome", "runs.reason", "runs.sample", "runs.planned"])
    .select(sql<string>`(extract(epoch from runs.at) * 1000000)::bigint::text`.as("micros"))
    .select(stoppedBy.as("stopped_by"))
    .orderBy("runs.at", "desc")
    .orderBy("runs.id", "desc");
  const { ids, siteId, robotId, from, to, cursor, limit } = choice;
  if (ids !== undefined) query = query.where("runs.id", "=", sql<string>`any(${[...ids]}::uuid[])`);
  if (siteId !== undefined) query = query.where("runs.site_id", "=", siteId);
  if (robotId !== undefined) query = query.where("runs.robot_id", "=", robotId);
  if (from !== undefined) query = query.where("runs.at", ">=", from);
  if (to !== undefined) query = query.where("runs.at", "<", to);
  if (limit !== undefined) query = query.limit(limit);
  if (cursor !== undefined) {
    const [micros = "", id = ""] = cursor.split("~");
    query = query.where(
      sql<boolean>`(runs.at, runs.id) < (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)`,
    );
  }
  const rows = await query.execute();
  return rows.map(({ micros, planned, stopped_by: stoppedByName, ...row }) => ({
    cursor: `${micros}~${row.id}`,
    run: {
      ...row,
      due_at: row.due_at?.toISOString() ?? null,
      stop_due_at: row.stop_due_at?.toISOString() ?? null,
      began_at: row.began_at?.toISOString() ?? null,
      ended_at: row.ended_at?.toISOString() ?? null,
      reason: reasonInWords({ outcome: row.outcome, reason: row.reason, planned, stoppedBy: stoppedByName }),
    },
  }));
}

/** Throws 404 where the site or robot of a filter is out of the viewer's scope, and 400 where they do not belong together. */
export async function requireChosen(viewer: Viewer, db: Executor, { siteId, robotId }: RunChoice): Promise<void> {
  if (siteId !== undefined) await requireSiteEver(viewer, db, siteId);
  if (robotId === undefined) return;
  // Robots and sites that were deleted keep their history, and so does a site that a robot has left.
  const sites = await sitesEverVisible(viewer, db)
    .select("sites.id")
    .where("sites.id", "in", (eb) =>
      eb
        .selectFrom("robots")
        .select("robots.site_id")
        .where("robots.id", "=", robotId)
        .union(eb.selectFrom("runs").select("runs.site_id").where("runs.robot_id", "=", robotId)),
    )
    .execute();
  if (sites.length === 0) throw notFound("Robot");
  if (siteId !== undefined && !sites.some(({ id }) => id === siteId))
    throw invalid("robot_id", "robot_id must be a robot of the site");
}

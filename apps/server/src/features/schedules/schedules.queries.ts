import { DECISIONS_LIMIT, type ScheduleDecision } from "@suncrew/contract/schedules/schedule-decisions.ts";
import type { Schedule } from "@suncrew/contract/schedules/schedules.ts";
import type { Executor } from "../../platform/database/database.ts";
import { invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { requireSite, visibleSites } from "../sites/public.ts";
import { decisionOf, scheduleOf } from "./schedule-row.ts";

/** The schedules of a site's groups. Throws 404 if the site is not the viewer's. */
export async function readSchedules(viewer: Viewer, db: Executor, siteId: number): Promise<Schedule[]> {
  await requireSite(viewer, db, siteId);
  const rows = await visibleSites(viewer, db)
    .innerJoin("robot_groups as g", "g.site_id", "sites.id")
    .innerJoin("schedules as s", "s.group_id", "g.id")
    .leftJoin("schedule_decisions as d", (join) =>
      join.onRef("d.schedule_id", "=", "s.id").onRef("d.due_at", "=", "s.next_run_at").on("d.voided_at", "is", null),
    )
    .selectAll("s")
    .select(["d.decided_at", "d.runs", "d.reason", "d.reason_code"])
    .where("sites.id", "=", siteId)
    .where("g.deleted_at", "is", null)
    .orderBy("s.id")
    .execute();
  return rows.map(({ decided_at, runs, reason, reason_code, ...row }) => {
    if (decided_at === null || runs === null || reason === null || reason_code === null) return scheduleOf(row);
    return scheduleOf(row, { decided_at, runs, reason, reason_code });
  });
}

/** What was decided for a site's schedules "when worth it", or for that of a group, newest first. Throws 404 out of scope, and 400 if the group is at another site. */
export async function readDecisions(
  viewer: Viewer,
  db: Executor,
  siteId: number,
  groupId: number | undefined,
): Promise<ScheduleDecision[]> {
  await requireSite(viewer, db, siteId);
  if (groupId !== undefined) await requireGroupAt(viewer, db, siteId, groupId);
  const rows = await visibleSites(viewer, db)
    .innerJoin("schedule_decisions as d", "d.site_id", "sites.id")
    .innerJoin("robot_groups as g", "g.id", "d.group_id")
    .select(["d.id", "d.schedule_id", "d.group_id", "g.group_name", "d.due_at", "d.decided_at", "d.runs"])
    .select(["d.reason", "d.reason_code", "d.voided_at"])
    .where("sites.id", "=", siteId)
    .where("g.deleted_at", "is", null)
    .$if(groupId !== undefined, (query) => query.where("d.group_id", "=", groupId ?? 0))
    .orderBy("d.due_at", "desc")
    .orderBy("d.id", "desc")
    .limit(DECISIONS_LIMIT)
    .execute();
  return rows.map((row) => ({
    ...decisionOf(row),
    id: row.id,
    schedule_id: row.schedule_id,
    group_id: row.group_id,
    group_name: row.group_name,
    due_at: row.due_at.toISOString(),
    is_void: row.voided_at !== null,
  }));
}

/** The group of a body, and which site the body names. Throws 404 if either is outside the viewer's scope. */
export async function findGroup(
  viewer: Viewer,
  db: Executor,
  named: { readonly site_id: number; readonly group_id: number },
) {
  await requireSite(viewer, db, named.site_id);
  const group = await visibleSites(viewer, db)
    .innerJoin("robot_groups as g", "g.site_id", "sites.id")
    .select(["g.id as group_id", "g.group_name", "sites.id as site_id", "sites.timezone"])
    .where("g.id", "=", named.group_id)
    .where("g.deleted_at", "is", null)
    .executeTakeFirst();
  if (!group) throw notFound("Group");
  return group;
}

/** A group that a schedule is for. */
export type ScheduledGroup = Awaited<ReturnType<typeof findGroup>>;

/** Throws 404 if the schedule is outside the viewer's scope. */
export async function requireSchedule(viewer: Viewer, db: Executor, scheduleId: number): Promise<void> {
  const found = await visibleSites(viewer, db)
    .innerJoin("robot_groups as g", "g.site_id", "sites.id")
    .innerJoin("schedules as s", "s.group_id", "g.id")
    .select("s.id")
    .where("s.id", "=", scheduleId)
    .where("g.deleted_at", "is", null)
    .executeTakeFirst();
  if (!found) throw notFound("Schedule");
}

async function requireGroupAt(viewer: Viewer, db: Executor, siteId: number, groupId: number): Promise<void> {
  const group = await visibleSites(viewer, db)
    .innerJoin("robot_groups as g", "g.site_id", "sites.id")
    .select("g.site_id")
    .where("g.id", "=", groupId)
    .where("g.deleted_at", "is", null)
    .executeTakeFirst();
  if (group === undefined) throw notFound("Group");
  if (group.site_id !== siteId) throw invalid("group_id", "group_id must be a group of the site", "SITE_MISMATCH");
}

import type { Schedule } from "@suncrew/contract/schedules/schedules.ts";
import type { Executor } from "../../platform/database/database.ts";
import { notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { requireSite, visibleSites } from "../sites/public.ts";
import { scheduleOf } from "./schedule-row.ts";

/** The schedules of a site's groups. Throws 404 if the site is not the viewer's. */
export async function readSchedules(viewer: Viewer, db: Executor, siteId: number): Promise<Schedule[]> {
  await requireSite(viewer, db, siteId);
  const rows = await visibleSites(viewer, db)
    .innerJoin("robot_groups as g", "g.site_id", "sites.id")
    .innerJoin("schedules as s", "s.group_id", "g.id")
    .selectAll("s")
    .where("sites.id", "=", siteId)
    .where("g.deleted_at", "is", null)
    .orderBy("s.id")
    .execute();
  return rows.map(scheduleOf);
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

import type { FleetStopBody, Group } from "@suncrew/contract/groups/groups.ts";
import { sql } from "kysely";
import { anyInt, type Executor } from "../../platform/database/database.ts";
import { type HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { readSchedules } from "../schedules/public.ts";
import { requireSite, visibleSites } from "../sites/public.ts";

/** The groups of a site by name, with their robots and their schedule. Throws 404 if the site is not the viewer's. */
export async function readGroups(viewer: Viewer, db: Executor, siteId: number): Promise<Group[]> {
  const schedules = new Map((await readSchedules(viewer, db, siteId)).map((schedule) => [schedule.group_id, schedule]));
  const groups = await visibleSites(viewer, db)
    .innerJoin("robot_groups as g", "g.site_id", "sites.id")
    .select(["g.id", "g.group_name", "g.site_id", "g.created_at", "g.version"])
    .select((eb) =>
      eb
        .selectFrom("robot_group_members as m")
        .innerJoin("robots as r", "r.id", "m.robot_id")
        .whereRef("m.group_id", "=", "g.id")
        .select(
          sql<{ id: number }[]>`coalesce(json_agg(json_build_object('id', r.id) order by r.robot_name, r.id), '[]')`.as(
            "robots",
          ),
        )
        .as("robots"),
    )
    .where("sites.id", "=", siteId)
    .where("g.deleted_at", "is", null)
    .orderBy("g.group_name")
    .orderBy("g.id")
    .execute();
  return groups.map(({ robots, created_at, ...group }) => {
    const schedule = schedules.get(group.id) ?? null;
    return {
      ...group,
      robots: robots ?? [],
      created_at: created_at.toISOString(),
      schedule_type: schedule?.frequency ?? null,
      schedule_details: schedule,
    };
  });
}

/** A group that exists. Throws 404 if it is outside the viewer's scope. */
export async function findGroup(
  viewer: Viewer,
  db: Executor,
  groupId: number,
): Promise<Pick<Group, "id" | "site_id" | "group_name">> {
  const group = await visibleSites(viewer, db)
    .innerJoin("robot_groups as g", "g.site_id", "sites.id")
    .select(["g.id", "g.site_id", "g.group_name"])
    .where("g.id", "=", groupId)
    .where("g.deleted_at", "is", null)
    .executeTakeFirst();
  if (group === undefined) throw notFound("Group");
  return group;
}

/** A 400 if one of the robots is at another site, otherwise null. Throws 404 if one is outside the viewer's scope. */
export async function findRobotAtOtherSite(
  viewer: Viewer,
  db: Executor,
  siteId: number,
  robotIds: readonly number[],
): Promise<HttpError | null> {
  const robots = await findRobots(viewer, db, robotIds);
  const stray = robots.find((robot) => robot.site_id !== siteId);
  return stray ? invalid("robot_ids", `Robot ${stray.serial_number} is not at this site.`, "ROBOT_NOT_AT_SITE") : null;
}

/** Throws 404 if one of the robots is outside the viewer's scope, and 400 if one is at another site. */
export async function requireRobotsAt(
  viewer: Viewer,
  db: Executor,
  siteId: number,
  robotIds: readonly number[],
): Promise<void> {
  const stray = await findRobotAtOtherSite(viewer, db, siteId, robotIds);
  if (stray) throw stray;
}

/** Throws 404 if one of the robots is outside the viewer's scope. */
export async function findRobots(viewer: Viewer, db: Executor, robotIds: readonly number[]) {
  const robots = await readRobotsAmong(viewer, db, robotIds);
  if (robots.length < new Set(robotIds).size) throw notFound("Robot");
  return robots;
}

/** Those of the robots that are in the viewer's scope. */
export async function readRobotsAmong(viewer: Viewer, db: Executor, robotIds: readonly number[]) {
  return visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .select(["r.id", "r.site_id", "r.serial_number"])
    .where("r.id", "=", anyInt(robotIds))
    .where("r.deleted_at", "is", null)
    .execute();
}

/**
 * Every robot in the viewer's scope, or those that are named, with their sites. Throws 404 if the partner maintains none
 * of the viewer's sites, or if none of the named robots is in scope.
 */
export async function readFleet(
  viewer: Viewer,
  db: Executor,
  { partnerId, robotObjectIds }: Pick<FleetStopBody, "partnerId" | "robotObjectIds">,
) {
  if (partnerId !== undefined) {
    const site = visibleSites(viewer, db).select("sites.id").where("sites.maintenance_partner_id", "=", partnerId);
    if ((await site.executeTakeFirst()) === undefined) throw notFound("Partner");
  }
  const inScope = visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .select(["r.id", "r.serial_number as serial", "r.site_id as siteId", "sites.name as siteName"])
    .select(["sites.state", "sites.maintenance_partner_id as partnerId"])
    .where("r.deleted_at", "is", null);
  const named = robotObjectIds === undefined ? inScope : inScope.where("r.id", "=", anyInt(robotObjectIds));
  const robots = await named.execute();
  if (robotObjectIds !== undefined && robots.length === 0) throw notFound("Robot");
  return robots;
}

/** Every robot of a site, by name. Throws 404 if the site is not the viewer's. */
export async function readSiteRobots(viewer: Viewer, db: Executor, siteId: number): Promise<number[]> {
  await requireSite(viewer, db, siteId);
  const robots = await visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .select("r.id")
    .where("sites.id", "=", siteId)
    .where("r.deleted_at", "is", null)
    .orderBy("r.robot_name")
    .orderBy("r.id")
    .execute();
  return robots.map(({ id }) => id);
}

/** The robots of a group that is the viewer's, by name. */
export async function readMembers(viewer: Viewer, db: Executor, groupId: number): Promise<number[]> {
  const robots = await visibleSites(viewer, db)
    .innerJoin("robot_group_members as m", "m.site_id", "sites.id")
    .innerJoin("robots as r", "r.id", "m.robot_id")
    .select("r.id")
    .where("m.group_id", "=", groupId)
    .where("r.deleted_at", "is", null)
    .orderBy("r.robot_name")
    .orderBy("r.id")
    .execute();
  return robots.map(({ id }) => id);
}

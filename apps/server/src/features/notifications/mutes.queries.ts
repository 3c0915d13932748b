import type { Mute } from "@suncrew/contract/notifications/mutes.ts";
import { sql } from "kysely";
import type { Executor } from "../../platform/database/database.ts";
import { invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { visibleSites } from "../sites/public.ts";

/** What is muted as of `now` at the viewer's sites, by site and robot. */
export async function readMutes(viewer: Viewer, db: Executor, now: Date, siteId?: number): Promise<Mute[]> {
  const rows = await visibleSites(viewer, db)
    .innerJoin("mutes as m", "m.site_id", "sites.id")
    .leftJoin("robots as r", "r.id", "m.robot_id")
    .where("m.ended_at", "is", null)
    .where("m.until", ">", now)
    // A robot that was moved or deleted takes no mute with it.
    .where((eb) => eb.or([eb("m.robot_id", "is", null), isAtSite]))
    .$if(siteId !== undefined, (query) => query.where("sites.id", "=", siteId ?? 0))
    .select(["m.id", "m.site_id", "sites.name as site_name", "sites.timezone"])
    .select(["m.robot_id", "r.robot_name", "r.serial_number", "m.until", "m.reason", "m.muted_by", "m.muted_at"])
    .orderBy("sites.name")
    .orderBy("sites.id")
    .orderBy(sql`r.robot_name nulls first`)
    .orderBy("m.id")
    .execute();
  return rows.map((row) => ({ ...row, until: row.until.toISOString(), muted_at: row.muted_at.toISOString() }));
}

const isAtSite = sql<boolean>`(r.deleted_at is null and r.site_id = m.site_id)`;

/** Locks the site of a mute, and with it every change of the site's mutes. Throws 404, and 400 for a robot elsewhere. */
export async function lockMutedPlace(
  viewer: Viewer,
  db: Executor,
  siteId: number,
  robotId: number | undefined,
): Promise<{ readonly siteName: string; readonly robotName: string | null }> {
  const site = await visibleSites(viewer, db)
    .select(["sites.id", "sites.name"])
    .where("sites.id", "=", siteId)
    .forNoKeyUpdate("sites")
    .executeTakeFirst();
  if (site === undefined) throw notFound("Site");
  if (robotId === undefined) return { siteName: site.name, robotName: null };
  const robot = await visibleSites(viewer, db)
    .innerJoin("robots as r", "r.site_id", "sites.id")
    .select(["r.robot_name", "r.site_id"])
    .where("r.id", "=", robotId)
    .where("r.deleted_at", "is", null)
    .executeTakeFirst();
  if (robot === undefined) throw notFound("Robot");
  if (robot.site_id !== siteId) {
    throw invalid("robot_id", "robot_id must be a robot of the site", "ROBOT_NOT_AT_SITE");
  }
  return { siteName: site.name, robotName: robot.robot_name };
}

/** An open mute at the viewer's sites as of `now`, locked; null if there is none. */
export async function lockMute(viewer: Viewer, db: Executor, now: Date, muteId: number) {
  const mute = await visibleSites(viewer, db)
    .innerJoin("mutes as m", "m.site_id", "sites.id")
    .leftJoin("robots as r", "r.id", "m.robot_id")
    .where("m.id", "=", muteId)
    .where("m.ended_at", "is", null)
    .where("m.until", ">", now)
    .select(["m.id", "m.site_id", "m.robot_id", "m.until", "m.reason", "sites.name as site_name", "r.robot_name"])
    .forNoKeyUpdate("m")
    .executeTakeFirst();
  return mute ?? null;
}

import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { may } from "@suncrew/domain/auth/permissions.ts";
import { sql } from "kysely";
import { anyInt, type Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { readActivity } from "../activity/public.ts";
import { readRobotsLive } from "../robots/public.ts";
import { readSites, type SeenAt, seesServers, visibleSites } from "../sites/public.ts";
import type { ChangedIds } from "./live.repository.ts";

/** A fingerprint of which sites and robots the viewer may see; it differs as soon as that changes. */
export async function readScopeMark(viewer: Viewer, db: Executor): Promise<string> {
  const scope = visibleSites(viewer, db).select("sites.id");
  const row = await db
    .with("scope", () => scope)
    .selectFrom("scope")
    .leftJoin("robots", (join) => join.onRef("robots.site_id", "=", "scope.id").on("robots.deleted_at", "is", null))
    .select(
      sql<string>`concat_ws(':', count(distinct scope.id), count(robots.id), bit_xor(hashint8extended(scope.id, coalesce(robots.id, 0))))`.as(
        "mark",
      ),
    )
    .executeTakeFirst();
  return row?.mark ?? "";
}

/** Everything the viewer may see, to begin a stream with. */
export async function readSnapshot(
  viewer: Viewer,
  db: Executor,
  at: SeenAt,
): Promise<{ robots: RobotLive[]; sites: Site[] }> {
  const sites = await readSites(viewer, db, at);
  return { sites, robots: await readRobotsLive(viewer, db, at) };
}

/** Those of the changed rows that the viewer may see, with their current values. */
export async function readUpdate(viewer: Viewer, db: Executor, at: SeenAt, changed: ChangedIds) {
  return {
    robots: await readRobotsLive(viewer, db, at, { robotIds: changed.robotIds }),
    sites: await readSites(viewer, db, at, { ids: changed.siteIds }),
    activity: await readActivity(viewer, db, { logIds: changed.logIds }),
    groups_changed: await ofViewer(viewer, db, changed.groupSiteIds),
    runs_changed: await ofViewer(viewer, db, changed.runSiteIds),
    rollouts_changed: may(viewer.role, "deployFirmware") ? [...changed.rolloutIds] : [],
    alerts_changed: await ofViewer(viewer, db, changed.alertSiteIds),
    server_alerts_changed: seesServers(viewer) ? [...changed.serverAlertIds] : [],
  };
}

export type LiveUpdate = Awaited<ReturnType<typeof readUpdate>>;

/** Those of the sites that the viewer may see. */
async function ofViewer(viewer: Viewer, db: Executor, siteIds: readonly number[]): Promise<number[]> {
  if (siteIds.length === 0) return [];
  const rows = await visibleSites(viewer, db).select("sites.id").where("sites.id", "=", anyInt(siteIds)).execute();
  return rows.map((row) => row.id);
}

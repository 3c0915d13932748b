import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { may } from "@suncrew/domain/auth/abilities.ts";
import { anyInt, type Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { readActivity } from "../activity/public.ts";
import { readRobotsLive } from "../robots/public.ts";
import { readSites, type SeenAt, seesServers, visibleSites } from "../sites/public.ts";
import type { ChangedIds } from "./live.repository.ts";

export interface LiveSnapshot {
  readonly robots: RobotLive[];
  readonly sites: Site[];
}

/** Everything the viewer may see, to begin a stream with. */
export async function readSnapshot(viewer: Viewer, db: Executor, at: SeenAt): Promise<LiveSnapshot> {
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
    attention_changed: await ofViewer(viewer, db, changed.attentionSiteIds),
    mutes_changed: await ofViewer(viewer, db, changed.muteSiteIds),
  };
}

export type LiveUpdate = Awaited<ReturnType<typeof readUpdate>>;

/** Those of the sites that the viewer may see. */
async function ofViewer(viewer: Viewer, db: Executor, siteIds: readonly number[]): Promise<number[]> {
  if (siteIds.length === 0) return [];
  const rows = await visibleSites(viewer, db).select("sites.id").where("sites.id", "=", anyInt(siteIds)).execute();
  return rows.map((row) => row.id);
}

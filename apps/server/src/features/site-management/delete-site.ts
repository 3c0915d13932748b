import type { Tx } from "../../platform/database/database.ts";
import { ConcurrentChangeError } from "../../platform/database/transactions.ts";
import { conflict, type HttpError, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { endSiteAlerts } from "../alerts/public.ts";
import { type AuditRecord, recordAudit } from "../audit/public.ts";
import { lockRobots, readStillMoving, type StillMovingRobot } from "../commands/public.ts";
import { lockSchedulesOfSite, removeGroupsOfSite } from "../groups/public.ts";
import { removeRobots } from "../robots/public.ts";
import { requireSite, type SeenAt } from "../sites/public.ts";
import { contentOf, holdSites, markDeleted, readStored, robotsOfSite } from "./site-rows.repository.ts";

/** So many robots are named in a refusal; the others are counted. */
const NAMED = 5;

/**
 * Deletes a site with its robots, groups and schedules; its history stays. Answers null, or the refusal where a robot
 * there may move, which is on record and is thrown after the commit. Throws 404.
 */
export async function deleteSiteOf(tx: Tx, viewer: Viewer, siteId: number, seen: SeenAt): Promise<HttpError | null> {
  const { now } = seen;
  await holdSites(tx);
  await requireSite(viewer, tx, siteId);
  const stored = await readStored(tx, siteId);
  if (stored === null) throw notFound("Site");
  const by = { userId: viewer.userId, name: viewer.name };
  const about = { actor: by, action: "DELETE_SITE", entity: "site", entityId: siteId, siteId, at: now };
  const scheduleCount = await lockSchedulesOfSite(tx, siteId);
  const robotIds = await robotsOfSite(tx, siteId);
  const robots = await lockRobots(tx, robotIds);
  // Deleted, or moved to another site, while this call waited for the locks.
  if ([...robots.values()].some((robot) => robot.deleted_at !== null || robot.site_id !== siteId)) {
    throw new ConcurrentChangeError();
  }
  const moving = await readStillMoving(tx, robotIds, seen);
  if (moving.length > 0) {
    const reason = refusalOf(stored.name, moving);
    await audit(tx, about, { outcome: "REFUSED", reason, before: { ...contentOf(stored) } });
    return conflict(reason);
  }
  const groupCount = await removeGroupsOfSite(tx, siteId, by, now);
  await removeRobots(tx, [...robots.values()], by, now);
  await endSiteAlerts(tx, siteId, now);
  await markDeleted(tx, siteId, now);
  // Nobody adds one after this: who does locks the site's row first.
  if ((await robotsOfSite(tx, siteId)).length > 0) throw new ConcurrentChangeError();
  const counts = { robots: robots.size, groups: groupCount, schedules: scheduleCount };
  await audit(tx, about, { outcome: "DONE", before: { ...contentOf(stored), ...counts } });
  return null;
}

function refusalOf(name: string, moving: readonly StillMovingRobot[]): string {
  const told = moving.slice(0, NAMED).map(({ sentence }) => sentence);
  const more = moving.length - told.length;
  const rest = more === 0 ? [] : [`So ${more === 1 ? "is 1 more robot" : `are ${more} more robots`} there.`];
  return [`Site "${name}" cannot be deleted now.`, ...told, ...rest].join(" ");
}

type About = Pick<AuditRecord, "actor" | "action" | "entity" | "entityId" | "siteId" | "at">;

function audit(tx: Tx, about: About, came: Pick<AuditRecord, "outcome" | "reason" | "before">): Promise<void> {
  return recordAudit(tx, { ...about, ...came });
}

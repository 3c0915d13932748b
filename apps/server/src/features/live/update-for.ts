import { may } from "@suncrew/domain/auth/abilities.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { seesServers, seesSite, type SiteOwner } from "../sites/public.ts";
import type { LiveSnapshot, LiveUpdate } from "./live.queries.ts";
import type { OwnedScope } from "./live.repository.ts";

/** The sites that an update of everything mentions. */
export function sitesOf({ robots, sites, activity, ...changed }: LiveUpdate) {
  const rows = [...robots, ...activity].map(({ site_id }) => site_id);
  const { groups_changed, runs_changed, alerts_changed, attention_changed, mutes_changed } = changed;
  const named = [groups_changed, runs_changed, alerts_changed, attention_changed, mutes_changed].flat();
  return new Set([...rows, ...sites.map(({ id }) => id), ...named]);
}

/**
 * What `readUpdate` would give the viewer, of an update that was read for a Super Admin and the owners of its sites,
 * read after it: so an update is read once, however many scopes have streams.
 */
export function updateFor(viewer: Viewer, update: LiveUpdate, owners: ReadonlyMap<number, SiteOwner>): LiveUpdate {
  const own = ownUpdate(viewer, update, owners);
  return viewer.isWallboard === true ? { ...own, ...withoutPeople(own), activity: [], rollouts_changed: [] } : own;
}

function ownUpdate(viewer: Viewer, update: LiveUpdate, owners: ReadonlyMap<number, SiteOwner>): LiveUpdate {
  if (viewer.role === "SUPER_ADMIN") return update;
  const isSeen = (siteId: number) => seesSite(viewer, owners.get(siteId));
  return {
    robots: update.robots.filter(({ site_id }) => isSeen(site_id)),
    sites: update.sites.filter(({ id }) => isSeen(id)),
    activity: update.activity
      .filter(({ site_id }) => seesSite(viewer, owners.get(site_id), "ever"))
      .map(({ partner_name: _name, ...entry }) => entry),
    groups_changed: update.groups_changed.filter(isSeen),
    runs_changed: update.runs_changed.filter(isSeen),
    rollouts_changed: may(viewer.role, "deployFirmware") ? update.rollouts_changed : [],
    alerts_changed: update.alerts_changed.filter(isSeen),
    server_alerts_changed: seesServers(viewer) ? update.server_alerts_changed : [],
    attention_changed: update.attention_changed.filter(isSeen),
    mutes_changed: update.mutes_changed.filter(isSeen),
  };
}

/** The same for a snapshot; without owners for one that was read for this viewer. */
export function snapshotFor(
  viewer: Viewer,
  { robots, sites }: LiveSnapshot,
  owners: ReadonlyMap<number, SiteOwner> | null,
): LiveSnapshot {
  const isSeen = (siteId: number) =>
    owners === null || viewer.role === "SUPER_ADMIN" || seesSite(viewer, owners.get(siteId));
  const own = { robots: robots.filter(({ site_id }) => isSeen(site_id)), sites: sites.filter(({ id }) => isSeen(id)) };
  return viewer.isWallboard === true ? withoutPeople(own) : own;
}

/** For a screen that anybody may look at: nothing says who is responsible, who did something or why. */
function withoutPeople({ robots, sites }: LiveSnapshot): LiveSnapshot {
  return {
    robots: robots.map((robot) => ({
      ...robot,
      current_run: robot.current_run && { ...robot.current_run, started_by: undefined },
      last_run: null,
      run_not_begun: null,
      maintenance: robot.maintenance && { ...robot.maintenance, locked_by: "", reason: "" },
    })),
    sites: sites.map((site) => ({
      ...site,
      maintenance_contact: null,
      maintenance_contact_name: null,
      maintenance_email: null,
      partner_name: null,
      partner_contact: null,
    })),
  };
}

/** A fingerprint of which sites and robots the viewer may see; it differs as soon as that changes. */
export function scopeMarkOf(viewer: Viewer, owned: readonly OwnedScope[]): string {
  const seen = owned.filter(({ partnerId }) => seesSite(viewer, { partnerId, isDeleted: false }));
  const [sites, robots] = [seen.reduce((sum, of) => sum + of.sites, 0), seen.reduce((sum, of) => sum + of.robots, 0)];
  // The same whoever has a site: one that changes hands ends no stream of a Super Admin.
  return `${sites}:${robots}:${seen.reduce((mixed, { fingerprint }) => mixed ^ BigInt(fingerprint), 0n)}`;
}

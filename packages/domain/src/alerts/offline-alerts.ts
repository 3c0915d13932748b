const MINUTE_MS = 60_000;

/** A robot that is offline for this long raises an alert, and so does a weather sensor that is silent for it. */
export const OFFLINE_TOO_LONG_MINUTES = 30;
/** A site has an outage (code SITE_DARK) once the last of its robots has been offline for this long. */
export const SITE_OUTAGE_MS = 5 * MINUTE_MS;
/** After a site's outage its robots have this long to come back before those still offline get alerts of their own. */
export const SITE_RECOVERY_MS = 5 * MINUTE_MS;
/** An outage takes at least this many robots without an alert of their own; fewer are just offline robots. */
export const SITE_OUTAGE_MIN_ROBOTS = 2;
/** A server that could not receive from robots until now treats none as offline for this long. */
export const LISTENING_GRACE_MS = 2 * MINUTE_MS;

/** A robot that has connected before, is not in maintenance and has no connection now. */
export interface OfflineRobot {
  readonly robotId: number;
  readonly siteId: number;
  /** When it last sent anything. */
  readonly since: Date;
  /** Its own alert is open. */
  readonly hasAlert: boolean;
}

/** The latest outage of a site. */
export interface SiteOutage {
  readonly siteId: number;
  /** Null while it lasts. */
  readonly clearedAt: Date | null;
}

export interface FleetConnectivity {
  readonly now: Date;
  readonly offline: readonly OfflineRobot[];
  /** Sites where at least one robot that is not in maintenance is online. */
  readonly recoveredSiteIds: ReadonlySet<number>;
  readonly outages: readonly SiteOutage[];
}

export interface OfflineAlertDecision {
  /** Robots that have been offline for too long. */
  readonly robots: readonly OfflineRobot[];
  /** Sites whose outage begins, with their offline robots. */
  readonly newOutages: readonly { readonly siteId: number; readonly robots: readonly OfflineRobot[] }[];
  /** Sites whose outage is over. */
  readonly recovered: readonly number[];
}

/**
 * Decides who gets an offline alert. If all robots of a site are offline, and this would be news about two or more of
 * them, the site gets one alert and they get none; robots that already have an alert keep it.
 */
export function decideOfflineAlerts({
  now,
  offline,
  recoveredSiteIds,
  outages,
}: FleetConnectivity): OfflineAlertDecision {
  const agoMs = (at: Date) => now.getTime() - at.getTime();
  const bySite = Map.groupBy(offline, ({ siteId }) => siteId);
  const lasts = ({ siteId }: SiteOutage) => !recoveredSiteIds.has(siteId) && bySite.has(siteId);
  const open = outages.filter(({ clearedAt }) => clearedAt === null);
  const ongoing = new Set(open.filter(lasts).map(({ siteId }) => siteId));
  const recovering = new Set(
    outages
      .filter(({ clearedAt }) => clearedAt === null || agoMs(clearedAt) < SITE_RECOVERY_MS)
      .map(({ siteId }) => siteId),
  );
  const newOutages: OfflineAlertDecision["newOutages"][number][] = [];
  const robots: OfflineRobot[] = [];
  for (const [siteId, ofSite] of bySite) {
    if (ongoing.has(siteId)) continue;
    const withoutAlert = ofSite.filter(({ hasAlert }) => !hasAlert);
    if (!recoveredSiteIds.has(siteId) && withoutAlert.length >= SITE_OUTAGE_MIN_ROBOTS) {
      // No single robot gets an alert while the last of them may come back in a moment.
      if (ofSite.every(({ since }) => agoMs(since) >= SITE_OUTAGE_MS)) newOutages.push({ siteId, robots: ofSite });
    } else if (!recovering.has(siteId)) {
      robots.push(...withoutAlert.filter(({ since }) => agoMs(since) >= OFFLINE_TOO_LONG_MINUTES * MINUTE_MS));
    }
  }
  return { robots, newOutages, recovered: open.filter((site) => !lasts(site)).map(({ siteId }) => siteId) };
}

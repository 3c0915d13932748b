import { OFFLINE_TOO_LONG_MINUTES } from "./server-alerts.ts";

const MINUTE_MS = 60_000;

/** A site is dark once the last of its robots has been away for this long. */
export const SITE_DARK_MS = 5 * MINUTE_MS;
/** After a dark site its robots have this long to come back before those still away get alerts of their own. */
export const SITE_RECOVERS_MS = 5 * MINUTE_MS;
/** So many robots without an alert of their own make a site dark; one is just a robot. */
export const SITE_DARK_ROBOTS = 2;
/** A server that could not hear robots until now believes no absence for this long. */
export const LISTENING_GRACE_MS = 2 * MINUTE_MS;

/** A robot that has been there once, is not in maintenance and has no connection now. */
export interface OfflineRobot {
  readonly robotId: number;
  readonly siteId: number;
  /** When it was last heard of. */
  readonly since: Date;
  /** Its own alert is open. */
  readonly hasAlert: boolean;
}

/** The last time that a site was dark. */
export interface DarkSite {
  readonly siteId: number;
  /** Null while it is. */
  readonly clearedAt: Date | null;
}

export interface FleetConnectivity {
  readonly now: Date;
  readonly away: readonly OfflineRobot[];
  /** Sites where a robot that is not in maintenance is there. */
  readonly recoveredSiteIds: ReadonlySet<number>;
  readonly dark: readonly DarkSite[];
}

export interface OfflineAlertDecision {
  /** Robots that have been away for too long. */
  readonly robots: readonly OfflineRobot[];
  /** Sites that went dark, with their robots that are away. */
  readonly darkened: readonly { readonly siteId: number; readonly robots: readonly OfflineRobot[] }[];
  /** Dark sites that are dark no more. */
  readonly lit: readonly number[];
}

/**
 * Who gets an alert for being away. Where all robots of a site are away, and this would be news of two or more of them,
 * the site gets one alert and they get none; those away for longer keep theirs.
 */
export function decideOfflineAlerts({ now, away, recoveredSiteIds, dark }: FleetConnectivity): OfflineAlertDecision {
  const agoMs = (at: Date) => now.getTime() - at.getTime();
  const bySite = Map.groupBy(away, ({ siteId }) => siteId);
  const isHeld = ({ siteId }: DarkSite) => !recoveredSiteIds.has(siteId) && bySite.has(siteId);
  const open = dark.filter(({ clearedAt }) => clearedAt === null);
  const stillDark = new Set(open.filter(isHeld).map(({ siteId }) => siteId));
  const recovering = new Set(
    dark
      .filter(({ clearedAt }) => clearedAt === null || agoMs(clearedAt) < SITE_RECOVERS_MS)
      .map(({ siteId }) => siteId),
  );
  const darkened: OfflineAlertDecision["darkened"][number][] = [];
  const robots: OfflineRobot[] = [];
  for (const [siteId, ofSite] of bySite) {
    if (stillDark.has(siteId)) continue;
    const untold = ofSite.filter(({ hasAlert }) => !hasAlert);
    if (!recoveredSiteIds.has(siteId) && untold.length >= SITE_DARK_ROBOTS) {
      // None is told of by itself while the last of them may come back in a moment.
      if (ofSite.every(({ since }) => agoMs(since) >= SITE_DARK_MS)) darkened.push({ siteId, robots: ofSite });
    } else if (!recovering.has(siteId)) {
      robots.push(...untold.filter(({ since }) => agoMs(since) >= OFFLINE_TOO_LONG_MINUTES * MINUTE_MS));
    }
  }
  return { robots, darkened, lit: open.filter((site) => !isHeld(site)).map(({ siteId }) => siteId) };
}

/** What robots that are no longer heard may be doing. */
export {
  connectionLostAt,
  isLostWhileMoving,
  lastHeardAt,
  lastSeenMoving,
  lostOf,
  lostRobotOf,
  type SeenAt,
  seenAt,
  seenRunEndsAt,
} from "./last-seen.ts";
export { hasWeatherLimits, readSites, requireSite } from "./sites.queries.ts";
export {
  requireSiteEver,
  seesServers,
  seesSite,
  type SiteOwner,
  sitesEverVisible,
  visibleSites,
} from "./visible-sites.ts";

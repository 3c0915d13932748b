export { readSites, requireSite } from "./sites.queries.ts";
export { requireSiteEver, sitesEverVisible, visibleSites } from "./visible-sites.ts";

export { readSites, requireSite } from "./sites.queries.ts";
export { sitesEverVisible, visibleSites } from "./visible-sites.ts";

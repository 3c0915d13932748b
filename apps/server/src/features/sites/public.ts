export { readSites, requireSite } from "./sites.queries.ts";
export { visibleSites } from "./visible-sites.ts";

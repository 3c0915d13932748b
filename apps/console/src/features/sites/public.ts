export { MapPanel } from "./map-panel.tsx";
export type { SiteChoice } from "./map-panel.tsx";
export { SiteButtons } from "./site-buttons.tsx";
export { SiteFacts } from "./site-facts.tsx";
export { searchSites } from "./site-search.ts";

export { MapPanel, SiteButtons, type SiteChoice } from "./map-panel.tsx";
export { SiteFacts } from "./site-facts.tsx";
export { searchSites } from "./site-model.ts";

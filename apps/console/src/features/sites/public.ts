export { SiteDialog } from "./form/lazy-site-dialog.tsx";
export { MapPanel, SiteButtons, type SiteChoice } from "./map-panel.tsx";
export { SiteFacts } from "./site-facts.tsx";
export { useFavourites } from "./favourites.ts";
export { siteStatusLook } from "./site-looks.ts";
export { orderSites, searchSites, type SiteOrder } from "./site-model.ts";

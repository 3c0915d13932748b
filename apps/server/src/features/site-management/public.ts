export { exportSitesTask } from "./export-sites.ts";
export { importSitesTask } from "./import-sites.ts";

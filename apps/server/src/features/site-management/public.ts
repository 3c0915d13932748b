export { exportSitesTask, importSitesTask } from "./site-files.ts";

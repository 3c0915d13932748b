export { exportSitesTask, importSitesTask } from "./site-files.ts";
export { changeFacts } from "./site-management.repository.ts";

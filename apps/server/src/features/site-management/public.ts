export { exportSitesTask, importSitesTask } from "./site-files.ts";
export { correctPerformanceRatio } from "./site-management.repository.ts";

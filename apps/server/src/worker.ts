import { reportCsvTask, reportPdfTask } from "./features/reports/public.ts";
import { exportRobotsTask, importRobotsTask } from "./features/robots/public.ts";
import { exportSitesTask, importSitesTask } from "./features/site-management/public.ts";
import { largeBody } from "./platform/http/request-body.ts";
import { doTasks } from "./platform/workers/worker-process.ts";

// The program of a worker: it does what nothing that people and robots wait for may wait for.
doTasks([
  largeBody,
  importRobotsTask,
  exportRobotsTask,
  importSitesTask,
  exportSitesTask,
  reportPdfTask,
  reportCsvTask,
]);

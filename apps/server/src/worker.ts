import { exportMeasurementsTask, importMeasurementsTask } from "./features/measurements/public.ts";
import { reportCsvTask, reportPdfTask } from "./features/reports/public.ts";
import { exportRobotsTask, importRobotsTask } from "./features/robots/public.ts";
import { exportSitesTask, importSitesTask } from "./features/site-management/public.ts";
import { compareStrategiesTask, computeEveningTask, computeSoilingTask } from "./features/soiling/public.ts";
import { largeBody } from "./platform/http/request-body.ts";
import { runWorker } from "./platform/workers/worker-process.ts";

// The program of a worker process: heavy work that must not delay anything that people and robots wait for.
runWorker([
  largeBody,
  importRobotsTask,
  exportRobotsTask,
  importSitesTask,
  exportSitesTask,
  importMeasurementsTask,
  exportMeasurementsTask,
  reportPdfTask,
  reportCsvTask,
  computeSoilingTask,
  computeEveningTask,
  compareStrategiesTask,
]);

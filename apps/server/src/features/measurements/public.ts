export { exportMeasurementsTask, importMeasurementsTask } from "./measurement-files.ts";

export { exportMeasurementsTask, importMeasurementsTask } from "./measurement-files.ts";
export { readMeasurements } from "./measurements.queries.ts";

export { readSavedByCleaning, type SavedByCleaning } from "./energy-saved.repository.ts";
export {
  endCorrections,
  readCorrections,
  removeCorrection,
  storeCorrection,
} from "./soiling-corrections.repository.ts";
export { computeEveningTask, computeSoilingTask, readLastCleanings } from "./soiling-inputs.repository.ts";
export { computeSoilingAnew } from "./soiling-queue.repository.ts";
export { compareStrategiesTask } from "./soiling-strategies.repository.ts";
export { SoilingWatch } from "./soiling-watch.ts";
export { SoilingOfSites, StrategiesOfSites } from "./soiling.service.ts";

export { computeSoilingAnew } from "./soiling-queue.repository.ts";
export { SoilingWatch } from "./soiling-watch.ts";
export { siteSoilingOf } from "./soiling.service.ts";

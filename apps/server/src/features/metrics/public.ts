export { Metrics } from "./metrics.service.ts";

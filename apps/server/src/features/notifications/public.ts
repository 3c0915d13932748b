/** For the metrics page. */
export { deliveriesEnded } from "./delivery-runner.ts";

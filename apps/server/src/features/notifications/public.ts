/** For the metrics page. */
export { deliveriesEnded } from "./delivery-runner.ts";
export { RegularMessages } from "./regular-messages.ts";

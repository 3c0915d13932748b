/** For the metrics page. */
export { deliveriesEnded } from "./delivery-runner.ts";
export { RegularMessages } from "./regular-messages.ts";
export type { SendOutcome } from "./channels/channel.ts";
export { callWebhook } from "./channels/webhook.ts";
export { FORMER_SECRET_HOURS, newSigningSecret } from "./contact-secrets.ts";
export { mailPage } from "./channels/mail-html.ts";
export { linksOf, oneClickUrl } from "./message-links.ts";

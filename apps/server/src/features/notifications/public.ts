/** For the metrics page. */
export { deliveriesEnded } from "./delivery-runner.ts";
export { RegularMessages } from "./regular-messages.ts";
export type { SendOutcome } from "./channels/channel.ts";
export { callWebhook } from "./channels/webhook.ts";
export { contactSeal, FORMER_SECRET_HOURS, newSigningSecret, openContact, sealContact } from "./contact-secrets.ts";
/** For the demo, which has some from the start. */
export { ContactPoints } from "./contact-points.service.ts";
export type { DemoMailbox } from "./deliveries.routes.ts";
export { NotificationRules } from "./rules.service.ts";
export { Teams } from "./teams.service.ts";
export { mailPage } from "./channels/mail-html.ts";
export { linksOf, mailHeaders } from "./message-links.ts";

export { EventSender, eventTries } from "./event-sender.ts";
/** For the demo, which has a webhook from the start, and whose mailbox is at another port where the former is taken. */
export { WebhookSeal } from "./webhooks.repository.ts";
export { WebhooksService } from "./webhooks.service.ts";
export { giveUpWaiting as giveUpEvents } from "./event-deliveries.repository.ts";

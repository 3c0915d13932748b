export { EventSender, eventTries } from "./event-sender.ts";
/** For the demo, whose mailbox is at another port where the former is taken. */
export { WebhookSeal } from "./webhooks.repository.ts";
export { giveUpWaiting as giveUpEvents } from "./event-deliveries.repository.ts";

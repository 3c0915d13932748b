export { EventSender, eventTries } from "./event-sender.ts";
export { giveUpWaiting as giveUpEvents } from "./event-deliveries.repository.ts";

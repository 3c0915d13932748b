import {
  createWebhook,
  deleteWebhook,
  type EventDelivery,
  eventDeliveryList,
  replaceWebhookSecret,
  replayEventDelivery,
  replayWebhook,
  testWebhook,
  updateWebhook,
  type Webhook,
  webhookList,
} from "@suncrew/contract/events/webhook-endpoints.ts";
import type { QueryOf, ResponseOf, SentBodyOf } from "@suncrew/contract/http/route.ts";
import { call } from "../../platform/api/call.ts";
import { change, type Changed, type Refusal, refusalIn, refusalOf } from "../../platform/api/change.ts";
import { pagedQuery } from "../../platform/api/paged-query.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";

/** None of this is part of the live stream. */
const REFETCH_INTERVAL_MS = 5_000;
const PAGE_ROWS = 50;

export const webhooksQuery = { ...routeQuery(webhookList, {}), refetchInterval: REFETCH_INTERVAL_MS };

export type DeliveryFilter = Pick<QueryOf<typeof eventDeliveryList>, "webhook_id" | "status" | "type">;

export function deliveriesQuery(filter: DeliveryFilter) {
  const paged = pagedQuery(eventDeliveryList, { ...filter, limit: PAGE_ROWS }, (query, signal) =>
    call(eventDeliveryList, { query }, { signal }),
  );
  return { ...paged, refetchInterval: REFETCH_INTERVAL_MS };
}

const lists = [webhookList, eventDeliveryList].map((route) => queryKeyOf(route));

/** An address that is missing stays as it is. */
export type WebhookBody = SentBodyOf<typeof updateWebhook>;

/** Answers the signing secret of a new one, else null. */
export function saveWebhook(edited: Pick<Webhook, "id" | "version"> | null, body: WebhookBody) {
  const isNew = edited === null;
  return change<string | null>({
    send: async () => {
      if (edited === null)
        return (await call(createWebhook, { body: { ...body, url: body.url ?? "" } })).signing_secret;
      await call(updateWebhook, { params: { webhookId: edited.id }, body: { ...body, version: edited.version } });
      return null;
    },
    invalidates: lists,
    hasConflictForm: true,
    success: {
      title: isNew ? "Webhook Added" : "Webhook Updated",
      message: `${body.name} has been ${isNew ? "added" : "updated"}.`,
    },
    failure: {
      title: isNew ? "Webhook Not Added" : "Webhook Not Updated",
      message: `Failed to ${isNew ? "add" : "update"} the webhook. Please try again.`,
    },
  });
}

/** Returns why it was refused, or null once it is deleted. */
export async function removeWebhook({ id, name }: Webhook): Promise<Refusal | null> {
  const outcome = await change({
    send: () => call(deleteWebhook, { params: { webhookId: id } }),
    invalidates: lists,
    success: { title: "Webhook Deleted", message: `${name} has been deleted.` },
    failure: null,
  });
  return refusalIn(outcome, "Failed to delete the webhook. Please try again.");
}

/** The new secret; null if it failed. */
export async function renewSecret({ id, name }: Webhook): Promise<string | null> {
  const outcome = await change({
    send: () => call(replaceWebhookSecret, { params: { webhookId: id } }),
    invalidates: lists,
    success: null,
    failure: { title: "Signing Secret Not Replaced", message: `${name} keeps its signing secret. Please try again.` },
  });
  return outcome.kind === "done" ? outcome.answer.signing_secret : null;
}

/** What the webhook answered, or why nothing was sent. Shown in place, so that it can be read. */
export async function sendTestEvent({ id }: Webhook): Promise<ResponseOf<typeof testWebhook>> {
  const outcome = await change({
    send: () => call(testWebhook, { params: { webhookId: id } }, { timeoutMs: 20_000 }),
    success: null,
    failure: null,
  });
  if (outcome.kind === "done") return outcome.answer;
  const failure = "The test event was not sent. Please try again.";
  return {
    delivered: false,
    message: outcome.kind === "conflict" ? failure : refusalOf(outcome.error, failure).reason,
  };
}

export function replayFailedSince({ id }: Webhook, since: Date): Promise<Changed<unknown>> {
  return change({
    send: () => call(replayWebhook, { params: { webhookId: id }, body: { since: since.toISOString() } }),
    invalidates: lists,
    success: ({ message, replayed }) =>
      replayed === 0
        ? { title: "Nothing to Replay", message: "No event was given up since then." }
        : { title: "Events Replayed", message },
    failure: { title: "Events Not Replayed", message: "Failed to send the events again. Please try again." },
  });
}

export function replayOne({ id }: EventDelivery): Promise<Changed<unknown>> {
  return change({
    send: () => call(replayEventDelivery, { params: { deliveryId: id } }),
    invalidates: lists,
    success: ({ message }) => ({ title: "Event Replayed", message }),
    failure: { title: "Event Not Replayed", message: "Failed to send the event again. Please try again." },
  });
}

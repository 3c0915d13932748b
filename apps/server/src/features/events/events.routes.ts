import {
  createWebhook,
  deleteWebhook,
  eventDeliveryList,
  replaceWebhookSecret,
  replayEventDelivery,
  replayWebhook,
  testWebhook,
  updateWebhook,
  webhookList,
} from "@suncrew/contract/events/webhook-endpoints.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { register } from "../../platform/http/register.ts";
import { OutgoingHttp } from "../../platform/outgoing-http.ts";
import { WebhooksService } from "./webhooks.service.ts";

export function eventsRoutes(app: FastifyInstance, deps: Dependencies): void {
  const http = new OutgoingHttp(deps.settings.outgoingPrivateAddresses ?? []);
  const webhooks = new WebhooksService(deps, http);
  register(app, webhookList, () => webhooks.list());
  register(app, createWebhook, ({ viewer, body }) => webhooks.create(viewer, body));
  register(app, updateWebhook, ({ viewer, params, body }) => webhooks.update(viewer, params.webhookId, body));
  register(app, deleteWebhook, ({ viewer, params }) => webhooks.delete(viewer, params.webhookId));
  register(app, replaceWebhookSecret, ({ viewer, params }) => webhooks.replaceSecret(viewer, params.webhookId));
  register(app, testWebhook, ({ viewer, params, signal }) => webhooks.test(viewer, params.webhookId, signal));
  register(app, replayWebhook, ({ viewer, params, body }) =>
    webhooks.replay(viewer, params.webhookId, new Date(body.since)),
  );
  register(app, eventDeliveryList, ({ query }) => webhooks.deliveries(query));
  register(app, replayEventDelivery, ({ viewer, params }) => webhooks.replayOne(viewer, params.deliveryId));
}

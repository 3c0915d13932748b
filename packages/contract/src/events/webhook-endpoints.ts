import { z } from "zod";
import { limitSchema, totalFields } from "../http/page.ts";
import { defineRoute } from "../http/route.ts";
import { requiredText, typedText } from "../http/text.ts";
import { idInputSchema, idSchema, instantInputSchema, instantSchema, versionSchema } from "../http/values.ts";
import { eventTypeSchema } from "./event-types.ts";

export const WEBHOOK_NAME_MAX = 80;
export const WEBHOOKS_MAX = 20;
const WEBHOOK_FILTER_MAX = 500;

/** A program elsewhere that is told of events (Standard Webhooks). */
export const webhookSchema = z.object({
  id: idSchema,
  name: z.string(),
  /** Of its address, which is a secret. */
  host: z.string(),
  /** Null: all, also those of later versions. */
  event_types: z.array(eventTypeSchema).nullable(),
  /** Only events of these sites and of these partners' sites; all if both are empty. */
  site_ids: z.array(idSchema),
  partner_ids: z.array(idSchema),
  enabled: z.boolean(),
  /** Why Suncrew disabled it; null if it did not. */
  disabled_reason: z.string().nullable(),
  last_sent_at: instantSchema.nullable(),
  /** Since when every try has failed, and why the last one did; null if the last one worked. */
  failing: z.object({ since: instantSchema, reason: z.string(), reason_code: z.string() }).nullable(),
  /** Deliveries that wait. */
  waiting: z.int(),
  /** Until when a former signing secret signs as well; null if none does. */
  former_secret_until: instantSchema.nullable(),
  created_at: instantSchema,
  version: versionSchema,
});
export type Webhook = z.output<typeof webhookSchema>;

const addressField = typedText(z.string()).max(2000);
const webhookFields = {
  name: requiredText("Name is required", WEBHOOK_NAME_MAX),
  event_types: z
    .array(eventTypeSchema)
    .min(1, "Choose at least one event")
    .refine((types) => new Set(types).size === types.length, "must name each event once")
    .nullable(),
  site_ids: z.array(idInputSchema).max(WEBHOOK_FILTER_MAX).default([]),
  partner_ids: z.array(idInputSchema).max(WEBHOOK_FILTER_MAX).default([]),
  enabled: z.boolean(),
};

const webhookParams = z.object({ webhookId: idInputSchema });

export const webhookList = defineRoute({
  summary: "Webhooks: programs that are told of events, and how their deliveries go",
  method: "GET",
  path: "/api/webhooks",
  response: z.array(webhookSchema),
});

export const createWebhook = defineRoute({
  summary: `Add a webhook; there may be ${WEBHOOKS_MAX}`,
  method: "POST",
  path: "/api/webhooks",
  body: z.object({ url: addressField, ...webhookFields }),
  status: 201,
  response: z.object({
    message: z.string(),
    webhookId: idSchema,
    /** What its calls are signed with; told only here. */
    signing_secret: z.string(),
  }),
});

export const updateWebhook = defineRoute({
  summary: "Change a webhook; without a url its address stays. What waits for one that is disabled is given up",
  method: "PUT",
  path: "/api/webhooks/:webhookId",
  params: webhookParams,
  body: z.object({ url: addressField.nullish(), ...webhookFields, version: versionSchema.optional() }),
  response: z.object({ message: z.string() }),
});

export const deleteWebhook = defineRoute({
  summary: "Delete a webhook; what waits for it is given up",
  method: "DELETE",
  path: "/api/webhooks/:webhookId",
  params: webhookParams,
  response: z.object({ message: z.string() }),
});

export const replaceWebhookSecret = defineRoute({
  summary: "Give a webhook a new signing secret; for a day its calls are signed with the former one, too",
  method: "POST",
  path: "/api/webhooks/:webhookId/signing-secret",
  params: webhookParams,
  response: z.object({ message: z.string(), signing_secret: z.string() }),
});

export const testWebhook = defineRoute({
  summary: "Send a test event now, and answer what the webhook answered",
  method: "POST",
  path: "/api/webhooks/:webhookId/test",
  params: webhookParams,
  response: z.object({ delivered: z.boolean(), message: z.string() }),
});

export const replayWebhook = defineRoute({
  summary: "Send a webhook everything again that was given up since a time, in order and with the same ids",
  method: "POST",
  path: "/api/webhooks/:webhookId/replay",
  params: webhookParams,
  body: z.object({ since: instantInputSchema }),
  response: z.object({ message: z.string(), replayed: z.int() }),
});

/** WAITING for its turn or the next try; SENT: the webhook took it; FAILED: given up. */
export const eventDeliveryStatusSchema = z.enum(["WAITING", "SENT", "FAILED"]);
export type EventDeliveryStatus = z.output<typeof eventDeliveryStatusSchema>;

/** One event to one webhook. */
export const eventDeliverySchema = z.object({
  /** A bigint as text. */
  id: z.string(),
  /** The `webhook-id` of its calls: the same at every try and replay, and for every webhook. */
  event_id: z.uuid(),
  type: eventTypeSchema,
  at: instantSchema,
  webhook_id: idSchema,
  webhook_name: z.string(),
  site_name: z.string().nullable(),
  robot_name: z.string().nullable(),
  serial_number: z.string().nullable(),
  status: eventDeliveryStatusSchema,
  /** Why the last try failed, or why it was given up. */
  reason: z.string().nullable(),
  reason_code: z.string().nullable(),
  attempts: z.int(),
  created_at: instantSchema,
  /** When it is tried next, unless an earlier event of the robot still waits; null unless WAITING. */
  due_at: instantSchema.nullable(),
  settled_at: instantSchema.nullable(),
  /** Somebody had it sent again. */
  replay: z.boolean(),
  /** The body, as it is sent; null until the first try. */
  payload: z.string().nullable(),
});
export type EventDelivery = z.output<typeof eventDeliverySchema>;

export const EVENT_DELIVERIES_DEFAULT_LIMIT = 50;
export const EVENT_DELIVERIES_MAX_LIMIT = 200;

export const eventDeliveryList = defineRoute({
  summary: "Events that were sent to webhooks, or are to be, newest first",
  method: "GET",
  path: "/api/webhooks/deliveries",
  query: z.object({
    webhook_id: idInputSchema.optional(),
    status: eventDeliveryStatusSchema.optional(),
    type: eventTypeSchema.optional(),
    limit: limitSchema(EVENT_DELIVERIES_MAX_LIMIT).optional(),
    cursor: z
      .string()
      .regex(/^\d{1,18}$/, "is not a cursor of this list")
      .optional(),
  }),
  response: z.object({
    deliveries: z.array(eventDeliverySchema),
    ...totalFields,
    next_cursor: z.string().nullable(),
  }),
});

export const replayEventDelivery = defineRoute({
  summary: "Send an event to its webhook again, with the same id and body",
  method: "POST",
  path: "/api/webhooks/deliveries/:deliveryId/replay",
  params: z.object({ deliveryId: z.string().regex(/^\d{1,18}$/, "is not the id of a delivery") }),
  response: z.object({ message: z.string() }),
});

import { z } from "zod";
import { severitySchema } from "../alerts/severity.ts";
import { instantSchema } from "../http/values.ts";
import type { MessageKind } from "./deliveries.ts";

/** The type of a call for each kind of message. */
export const webhookTypes = {
  ALERTS: "notification.alerts",
  CLEARED: "notification.cleared",
  TEST: "notification.test",
  DIGEST: "notification.digest",
  SUMMARY: "notification.summary",
} as const satisfies Record<MessageKind, string>;

/**
 * The body of a call to a WEBHOOK contact point, after the Standard Webhooks specification. Its headers are `webhook-id`
 * (the same each time a message is tried), `webhook-timestamp` (seconds, when it was tried) and `webhook-signature`
 * (`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, once for each secret that counts). Any status from 200 to 299
 * accepts it; 410 ends all calls to this contact point.
 */
export const webhookCallSchema = z.object({
  type: z.enum(Object.values(webhookTypes)),
  /** When the message came about. */
  timestamp: instantSchema,
  data: z.object({
    /** As in `webhook-id`. */
    id: z.uuid(),
    /** The worst of its lines. */
    severity: severitySchema.nullable(),
    title: z.string(),
    /** All of it in plain text, for receivers that pass it on to people. */
    text: z.string(),
    lines: z.array(
      z.object({
        severity: severitySchema.nullable(),
        text: z.string(),
        site: z.string().nullable(),
        robot: z.string().nullable(),
        /** In words, in the time zone of the contact point. */
        at: z.string().nullable(),
        url: z.string().nullable(),
      }),
    ),
    /** How many more lines there would be. */
    more: z.int(),
    url: z.string().nullable(),
    /** Acknowledges the alerts for whoever opens it, after a question. */
    acknowledge_url: z.string().nullable(),
  }),
});
export type WebhookCall = z.output<typeof webhookCallSchema>;

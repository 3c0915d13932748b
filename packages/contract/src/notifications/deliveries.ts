import { z } from "zod";
import { severitySchema } from "../alerts/severity.ts";
import { defineRoute } from "../http/route.ts";
import { optionalText } from "../http/text.ts";
import { limitSchema, totalFields } from "../http/page.ts";
import {
  idInputSchema,
  idSchema,
  instantInputSchema,
  instantSchema,
  isOrderedRange,
  TO_BEFORE_FROM,
} from "../http/values.ts";
import { channelKindSchema } from "./contact-points.ts";

export const messageKindSchema = z.enum(["ALERTS", "CLEARED", "TEST", "DIGEST", "SUMMARY"]);
export type MessageKind = z.output<typeof messageKindSchema>;

/** WAITING for its time or the next try; SENT: its service took it; FAILED: given up; DROPPED: not needed any more. */
export const deliveryStatusSchema = z.enum(["WAITING", "SENT", "FAILED", "DROPPED"]);
export type DeliveryStatus = z.output<typeof deliveryStatusSchema>;

/** One message to one contact point. */
export const deliverySchema = z.object({
  id: z.uuid(),
  message_kind: messageKindSchema,
  channel: channelKindSchema,
  /** Null once the contact point is deleted. */
  contact_point_id: idSchema.nullable(),
  contact_point_name: z.string(),
  /** Whose contact point it was then: a person, partner, site or team. */
  told: z.string(),
  /** As contact points show it. */
  address: z.string(),
  severity: severitySchema.nullable(),
  title: z.string(),
  /** The message in plain text, without its links; null until the first try. */
  text: z.string().nullable(),
  status: deliveryStatusSchema,
  reason: z.string().nullable(),
  reason_code: z.string().nullable(),
  attempts: z.int(),
  created_at: instantSchema,
  /** When it is to be sent, or tried again; null unless WAITING. */
  due_at: instantSchema.nullable(),
  /** When it was sent, given up or dropped. */
  settled_at: instantSchema.nullable(),
});
export type Delivery = z.output<typeof deliverySchema>;

export const DELIVERIES_DEFAULT_LIMIT = 100;
export const DELIVERIES_MAX_LIMIT = 500;

export const deliveryList = defineRoute({
  summary: "Messages to contact points that the caller may see, newest first",
  method: "GET",
  path: "/api/notifications/deliveries",
  query: z
    .object({
      status: deliveryStatusSchema.optional(),
      channel: channelKindSchema.optional(),
      message_kind: messageKindSchema.optional(),
      contact_point_id: idInputSchema.optional(),
      /** Only those that told this alert. */
      alert_id: z
        .string()
        .regex(/^\d{1,18}$/, "is not the id of an alert")
        .optional(),
      site_id: idInputSchema.optional(),
      from: instantInputSchema.optional(),
      to: instantInputSchema.optional(),
      limit: limitSchema(DELIVERIES_MAX_LIMIT).optional(),
      cursor: z
        .string()
        .regex(/^\d{1,17}\.[0-9a-f-]{36}$/, "is not a cursor of this list")
        .optional(),
    })
    .refine(isOrderedRange, TO_BEFORE_FROM),
  response: z.object({
    deliveries: z.array(deliverySchema),
    ...totalFields,
    next_cursor: z.string().nullable(),
  }),
});

/** How one try to send a message ended. */
export const deliveryTrySchema = z.object({
  /** Its number, from 1; missing ones are those of a server that died. */
  attempt: z.int(),
  at: instantSchema,
  /** Why it was not taken; null if it was. */
  reason: z.string().nullable(),
  reason_code: z.string().nullable(),
});
export type DeliveryTry = z.output<typeof deliveryTrySchema>;

export const DELIVERY_ALERTS_MAX = 100;

export const deliveryDetails = defineRoute({
  summary: "One message, with how each try to send it ended and what it told",
  method: "GET",
  path: "/api/notifications/deliveries/:deliveryId",
  params: z.object({ deliveryId: z.uuid() }),
  response: deliverySchema.extend({
    /** The end of the quiet time that it waited for; null if it did not. */
    held_until: instantSchema.nullable(),
    /** What its service calls the message. */
    reference: z.string().nullable(),
    /** The first is the oldest; empty for messages of older versions. */
    tries: z.array(deliveryTrySchema),
    /** The alerts that the caller may see, the worst first; at most 100. */
    alerts: z.array(
      z.object({
        id: z.string(),
        severity: severitySchema,
        text: z.string(),
        /** Null where it is about Suncrew's own servers. */
        site_id: idSchema.nullable(),
        site_name: z.string().nullable(),
        /** Null where it is about a whole site. */
        robot_name: z.string().nullable(),
        serial_number: z.string().nullable(),
        raised_at: instantSchema,
        cleared_at: instantSchema.nullable(),
      }),
    ),
    /** How many of them there are. */
    alerts_total: z.int(),
  }),
});

export const resendDelivery = defineRoute({
  summary: "Send a message again that was given up, as a new message",
  method: "POST",
  path: "/api/notifications/deliveries/:deliveryId/resend",
  params: z.object({ deliveryId: z.uuid() }),
  response: z.object({ message: z.string(), deliveryId: z.uuid() }),
});

// Links in messages

const tokenSchema = z.string().regex(/^[A-Za-z0-9_-]{20,400}\.[A-Za-z0-9_-]{43}$/, "is not the token of a link");

/** Tokens are sent in the body, so that they are in no log of addresses. */
export const messageLink = defineRoute({
  summary: "What the link of a message is about",
  method: "POST",
  path: "/api/notifications/links/read",
  open: true,
  body: z.object({ token: tokenSchema }),
  response: z.object({
    action: z.enum(["ACKNOWLEDGE", "UNSUBSCRIBE"]),
    /** Whom the message was sent to. */
    told: z.string(),
    contact_point_name: z.string(),
    title: z.string(),
    expires_at: instantSchema,
    /** When the contact point was unsubscribed; nothing is sent to it since. */
    unsubscribed_at: instantSchema.nullable(),
    /** Of an acknowledgement: what the message told. */
    alerts: z.array(
      z.object({
        severity: severitySchema,
        text: z.string(),
        site_name: z.string().nullable(),
        robot_name: z.string().nullable(),
        serial_number: z.string().nullable(),
        raised_at: instantSchema,
        cleared_at: instantSchema.nullable(),
        acknowledged_by: z.string().nullable(),
      }),
    ),
  }),
});

export const ACKNOWLEDGE_COMMENT_MAX = 500;

export const acknowledgeByLink = defineRoute({
  summary: "Acknowledge the alerts of a message by its signed link, without signing in",
  method: "POST",
  path: "/api/notifications/links/acknowledge",
  open: true,
  body: z.object({ token: tokenSchema, comment: optionalText(ACKNOWLEDGE_COMMENT_MAX) }),
  response: z.object({ message: z.string() }),
});

export const unsubscribeByLink = defineRoute({
  summary: "Stop messages to a contact point by the signed link of one of its emails, without signing in",
  method: "POST",
  path: "/api/notifications/links/unsubscribe",
  open: true,
  body: z.object({ token: tokenSchema }),
  response: z.object({ message: z.string() }),
});

/** RFC 8058: what a mail program calls when its user presses Unsubscribe. */
export const unsubscribeByMail = defineRoute({
  summary: "Stop messages to a contact point, as mail programs call it by RFC 8058 with a form, which is ignored",
  method: "POST",
  path: "/api/notifications/links/one-click",
  open: true,
  form: true,
  query: z.object({ token: tokenSchema }),
  response: z.object({ message: z.string() }),
});

// The demo's own mailbox

export const demoMessageSchema = z.object({
  id: z.int(),
  channel: channelKindSchema,
  to: z.string(),
  at: instantSchema,
  subject: z.string().nullable(),
  /** What a person would read. */
  text: z.string(),
  /** Of an email. */
  html: z.string().nullable(),
  /** The links of the message, in order. */
  links: z.array(z.object({ label: z.string(), url: z.string() })),
});
export type DemoMessage = z.output<typeof demoMessageSchema>;

export const demoMessages = defineRoute({
  summary: "What the demo's stand-ins for mail, chat and webhook services received, newest first; in the demo only",
  method: "GET",
  path: "/api/demo/messages",
  query: z.object({ channel: channelKindSchema.optional() }),
  response: z.object({
    messages: z.array(demoMessageSchema),
    /** Addresses that these services accept, to try with contact points of one's own. */
    addresses: z.array(z.object({ channel: channelKindSchema, address: z.string() })),
  }),
});

import { eventSchemas, eventTexts, type EventType, eventTypeSchema } from "@suncrew/contract/events/event-types.ts";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { capitalised, type JsonSchema, sentSchema } from "./json-schema.ts";

/** What was really sent in a test, which writes the file and compares it ever after. */
const written: unknown = JSON.parse(readFileSync(new URL("./event-examples.json", import.meta.url), "utf8"));
export const eventExamples = z.partialRecord(eventTypeSchema, z.record(z.string(), z.unknown())).parse(written);

/** A type's name in the document, such as `alertRaised`. */
export function eventName(type: EventType): string {
  const [subject = "", happened = ""] = type.split(".");
  return `${subject}${capitalised(happened)}`;
}

const refTo = (...path: string[]) => ({ $ref: `#/${path.join("/")}` });

function forEachEvent<T>(make: (type: EventType) => T): Record<string, T> {
  return Object.fromEntries(eventTypeSchema.options.map((type) => [eventName(type), make(type)]));
}

const headers: JsonSchema = {
  type: "object",
  required: ["webhook-id", "webhook-timestamp", "webhook-signature"],
  properties: {
    "webhook-id": {
      type: "string",
      format: "uuid",
      description: "Of the event: the same at every try, at every replay and for every webhook.",
    },
    "webhook-timestamp": { type: "string", description: "When this try was made, in seconds of Unix time." },
    "webhook-signature": {
      type: "string",
      description:
        "`v1,` and the HMAC-SHA256, in base64, of `id.timestamp.body`; two, with a space between them, while a secret is replaced.",
    },
  },
};

const schemas: Record<string, JsonSchema> = {
  webhookHeaders: headers,
  ...forEachEvent((type) => sentSchema(eventSchemas[type], "draft-7")),
};

const channels: Record<string, { readonly address: string | null } & Readonly<Record<string, unknown>>> = {
  webhook: {
    // Each webhook has its own.
    address: null,
    title: "Webhook",
    description:
      "Events as they happen, each as one POST with the headers of the Standard Webhooks specification. The events of one robot are sent one after the other.",
    servers: [refTo("servers", "webhook")],
    messages: forEachEvent((type) => refTo("components", "messages", eventName(type))),
  },
};

/** The parts of the AsyncAPI document about webhooks (Standard Webhooks). */
export const webhookParts = {
  server: {
    host: "{host}",
    protocol: "https",
    description: "A webhook that a Super Admin added.",
    variables: { host: { description: "Host and port of its address", default: "example.org" } },
  },
  channels,
  operation: {
    action: "send",
    channel: refTo("channels", "webhook"),
    title: "To a webhook: events",
    summary: "Any answer from 200 to 299 takes it; otherwise it is tried again for a day with the same webhook-id.",
    messages: eventTypeSchema.options.map((type) => refTo("channels", "webhook", "messages", eventName(type))),
    bindings: { http: { method: "POST", bindingVersion: "0.3.0" } },
  },
  messages: forEachEvent((type) => ({
    name: type,
    title: eventTexts[type].title,
    summary: eventTexts[type].summary,
    contentType: "application/json",
    headers: refTo("components", "schemas", "webhookHeaders"),
    payload: refTo("components", "schemas", eventName(type)),
    examples: [{ name: type, summary: eventTexts[type].summary, payload: eventExamples[type] }],
  })),
  schemas,
};

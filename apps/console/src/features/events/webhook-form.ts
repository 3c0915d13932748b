import { eventTypeSchema, eventTexts, type EventType } from "@suncrew/contract/events/event-types.ts";
import { type Webhook, WEBHOOK_NAME_MAX } from "@suncrew/contract/events/webhook-endpoints.ts";
import { destinationProblem } from "@suncrew/domain/notifications/destination.ts";
import type { EntityRules, FieldProblems } from "../../platform/form/entity-form.ts";
import type { StoredForm } from "../../ui/merged-edits.ts";
import type { WebhookBody } from "./webhook-calls.ts";

export interface WebhookDraft {
  readonly name: string;
  /** Of an edited one empty: what is stored is never shown. */
  readonly url: string;
  /** All, also those of later versions. */
  readonly isForAll: boolean;
  readonly types: readonly EventType[];
  readonly siteIds: readonly number[];
  readonly partnerIds: readonly number[];
  readonly enabled: boolean;
}
export type WebhookField = keyof WebhookDraft;

export const newWebhook: WebhookDraft = {
  name: "",
  url: "",
  isForAll: true,
  types: [],
  siteIds: [],
  partnerIds: [],
  enabled: true,
};

export function storedWebhook({
  name,
  event_types,
  site_ids,
  partner_ids,
  enabled,
  version,
}: Webhook): StoredForm<WebhookDraft> {
  const form = {
    name,
    url: "",
    isForAll: event_types === null,
    types: event_types ?? [],
    siteIds: site_ids,
    partnerIds: partner_ids,
    enabled,
  };
  return { form, version };
}

export function webhookBodyOf({ name, url, isForAll, types, siteIds, partnerIds, enabled }: WebhookDraft): WebhookBody {
  return {
    name: name.trim(),
    ...(url.trim() !== "" && { url: url.trim() }),
    event_types: isForAll ? null : eventTypeSchema.options.filter((type) => types.includes(type)),
    site_ids: [...siteIds],
    partner_ids: [...partnerIds],
    enabled,
  };
}

export function webhookProblems(draft: WebhookDraft, isNew: boolean): FieldProblems<WebhookField> {
  const address = destinationProblem("WEBHOOK", { url: draft.url }, isNew ? [] : ["url"]);
  return {
    ...(draft.name.trim() === "" && { name: "Name is required" }),
    ...(draft.name.trim().length > WEBHOOK_NAME_MAX && {
      name: `Name must have at most ${WEBHOOK_NAME_MAX} characters`,
    }),
    ...(address !== null && { url: address.message }),
    ...(!draft.isForAll && draft.types.length === 0 && { types: "Choose at least one event" }),
  };
}

const LABELS: Record<WebhookField, string> = {
  name: "Name",
  url: "Address",
  isForAll: "All events",
  types: "Events",
  siteIds: "Sites",
  partnerIds: "Partners",
  enabled: "Events are sent to it",
};

const WIRE_FIELDS: Readonly<Record<string, WebhookField>> = {
  name: "name",
  url: "url",
  event_types: "types",
  site_ids: "siteIds",
  partner_ids: "partnerIds",
};

export const webhookRules: EntityRules<WebhookDraft, WebhookField> = {
  units: [["name"], ["url"], ["isForAll", "types"], ["siteIds"], ["partnerIds"], ["enabled"]],
  isSame: (one, other, field) => plain(one, field) === plain(other, field),
  labelOf: (field) => LABELS[field],
  fieldOf: (wire) => WIRE_FIELDS[wire] ?? null,
  textOf: (draft, field) => {
    if (field === "types") return draft.types.map((type) => eventTexts[type].title).join(", ");
    const value = draft[field];
    return typeof value === "boolean" ? (value ? "Yes" : "No") : plain(draft, field);
  },
};

function plain(draft: WebhookDraft, field: WebhookField): string {
  const value = draft[field];
  return Array.isArray(value) ? value.map(String).toSorted().join(", ") : String(value).trim();
}

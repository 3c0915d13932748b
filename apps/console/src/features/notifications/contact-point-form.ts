import {
  type ChannelKind,
  CONTACT_POINT_NAME_MAX,
  type ContactOwnerKind,
  type ContactPoint,
  type MailLanguage,
  type SiteRole,
  whatsappOptionsSchema,
} from "@suncrew/contract/notifications/contact-points.ts";
import { destinationFields, destinationProblem } from "@suncrew/domain/notifications/destination.ts";
import { mailLanguageNames } from "@suncrew/domain/reports/report-mail-words.ts";
import {
  type EntityRules,
  type FieldProblems,
  problemsByField,
  schemaErrors,
} from "../../platform/form/entity-form.ts";
import { browserZone } from "../../ui/exact-time-text.ts";
import type { StoredForm } from "../../ui/merged-edits.ts";
import type { ContactPointBody } from "./notification-calls.ts";
import { channelLook, dayNames } from "./notification-looks.ts";

export interface ContactPointDraft {
  readonly ownerKind: ContactOwnerKind;
  /** Null while none is chosen. */
  readonly ownerId: number | null;
  readonly role: SiteRole;
  readonly channel: ChannelKind;
  readonly name: string;
  readonly address: string;
  /** Secrets are typed again or left empty: what is stored is never shown. */
  readonly url: string;
  readonly token: string;
  readonly phoneNumberId: string;
  readonly template: string;
  readonly templateLanguage: string;
  readonly timezone: string;
  /** `HH:MM`; empty for none. */
  readonly quietFrom: string;
  readonly quietTo: string;
  /** Monday is 1. */
  readonly daysOff: readonly number[];
  readonly criticalPierces: boolean;
  readonly digestAt: string;
  readonly summaryAt: string;
  /** Of mails about reports. */
  readonly language: MailLanguage;
  readonly getsReports: boolean;
  readonly enabled: boolean;
}

export type ContactPointField = keyof ContactPointDraft;

/** For somebody's own: by email, at any time of their own days. */
export function newContactPoint(ownerId: number | null): ContactPointDraft {
  return {
    ownerKind: "PERSON",
    ownerId,
    role: "OWNER",
    channel: "EMAIL",
    name: "",
    address: "",
    url: "",
    token: "",
    phoneNumberId: "",
    template: "",
    templateLanguage: "en",
    timezone: browserZone(),
    quietFrom: "",
    quietTo: "",
    daysOff: [],
    criticalPierces: true,
    digestAt: "",
    summaryAt: "",
    language: "en",
    getsReports: true,
    enabled: true,
  };
}

export function storedContactPoint(point: ContactPoint): StoredForm<ContactPointDraft> {
  const { whatsapp } = point;
  const form: ContactPointDraft = {
    ownerKind: point.owner.kind,
    ownerId: point.owner.id,
    role: point.owner.role ?? "OWNER",
    channel: point.channel,
    name: point.name,
    // Of an address with a secret only the host is known, which is no field.
    address: destinationFields[point.channel].includes("address") ? point.address : "",
    url: "",
    token: "",
    phoneNumberId: whatsapp?.phone_number_id ?? "",
    template: whatsapp?.template ?? "",
    templateLanguage: whatsapp?.template_language ?? "en",
    timezone: point.timezone,
    quietFrom: point.quiet_from ?? "",
    quietTo: point.quiet_to ?? "",
    daysOff: point.days_off,
    criticalPierces: point.critical_pierces,
    digestAt: point.digest_at ?? "",
    summaryAt: point.summary_at ?? "",
    language: point.language,
    getsReports: point.gets_reports,
    // Switched on again it is sent to again, also after an unsubscription.
    enabled: point.enabled && point.unsubscribed_at === null,
  };
  return { form, version: point.version };
}

/** What the calls take; fields of other channels are left out. */
export function bodyOf(draft: ContactPointDraft): ContactPointBody {
  const has = destinationFields[draft.channel];
  return {
    owner: {
      kind: draft.ownerKind,
      ...(draft.ownerId !== null && { id: draft.ownerId }),
      ...(draft.ownerKind === "SITE" && { role: draft.role }),
    },
    name: draft.name.trim(),
    channel: draft.channel,
    ...(has.includes("address") && { address: draft.address.trim() }),
    ...(has.includes("url") && draft.url.trim() !== "" && { url: draft.url.trim() }),
    ...(has.includes("token") && draft.token.trim() !== "" && { token: draft.token.trim() }),
    ...(has.includes("whatsapp") && { whatsapp: whatsappOf(draft) }),
    timezone: draft.timezone,
    quiet_from: draft.quietFrom || null,
    quiet_to: draft.quietTo || null,
    days_off: draft.daysOff.toSorted((one, other) => one - other),
    critical_pierces: draft.criticalPierces,
    digest_at: draft.digestAt || null,
    summary_at: draft.summaryAt || null,
    ...(takesReports(draft) && { language: draft.language, gets_reports: draft.getsReports }),
    enabled: draft.enabled,
  };
}

/** Reports go to email contacts of a site. */
export function takesReports({ ownerKind, channel }: Pick<ContactPointDraft, "ownerKind" | "channel">): boolean {
  return ownerKind === "SITE" && channel === "EMAIL";
}

function whatsappOf({ phoneNumberId, template, templateLanguage }: ContactPointDraft) {
  return {
    phone_number_id: phoneNumberId.trim(),
    template: template.trim(),
    template_language: templateLanguage.trim(),
  };
}

/** What is wrong, by field. Of an edited one the secrets are stored. */
export function contactPointProblems(draft: ContactPointDraft, isNew: boolean): FieldProblems<ContactPointField> {
  const name = draft.name.trim();
  const destination = destinationProblem(
    draft.channel,
    { ...draft, whatsapp: whatsappOf(draft) },
    isNew ? [] : ["url", "token"],
  );
  const whatsapp = draft.channel === "WHATSAPP" ? whatsappOptionsSchema.safeParse(whatsappOf(draft)) : null;
  return {
    ...problemsByField(schemaErrors(whatsapp?.error?.issues), contactPointRules),
    ...(destination !== null && destination.field !== "whatsapp" && { [destination.field]: destination.message }),
    ...(draft.ownerId === null && { ownerId: "Choose whose contact point it is" }),
    ...(name === "" && { name: "Name is required" }),
    ...(name.length > CONTACT_POINT_NAME_MAX && {
      name: `Name must have at most ${CONTACT_POINT_NAME_MAX} characters`,
    }),
    ...(draft.quietFrom !== "" && draft.quietTo === "" && { quietTo: "Say when the quiet time ends" }),
    ...(draft.quietFrom === "" && draft.quietTo !== "" && { quietFrom: "Say when the quiet time begins" }),
    ...(draft.quietFrom !== "" && draft.quietFrom === draft.quietTo && { quietTo: "It ends when it begins" }),
    ...(draft.daysOff.length > 6 && { daysOff: "Leave at least one day, or nobody is ever told" }),
  };
}

const LABELS: Record<ContactPointField, string> = {
  ownerKind: "Whose",
  ownerId: "Whose",
  role: "Contact of the site",
  channel: "Channel",
  name: "Name",
  address: "Address",
  url: "Address",
  token: "Token",
  phoneNumberId: "Phone number ID",
  template: "Template",
  templateLanguage: "Language of the template",
  timezone: "Time zone",
  quietFrom: "Quiet from",
  quietTo: "Quiet until",
  daysOff: "Days off",
  criticalPierces: "Critical at any time",
  digestAt: "Daily digest",
  summaryAt: "Morning summary",
  language: "Language of reports",
  getsReports: "Gets the monthly reports",
  enabled: "Messages are sent to it",
};

const WIRE_FIELDS: Readonly<Record<string, ContactPointField>> = {
  owner: "ownerId",
  "owner.id": "ownerId",
  "owner.kind": "ownerId",
  "owner.role": "role",
  channel: "channel",
  name: "name",
  address: "address",
  url: "url",
  token: "token",
  whatsapp: "phoneNumberId",
  "whatsapp.phone_number_id": "phoneNumberId",
  "whatsapp.template": "template",
  "whatsapp.template_language": "templateLanguage",
  phone_number_id: "phoneNumberId",
  template: "template",
  template_language: "templateLanguage",
  timezone: "timezone",
  quiet_from: "quietFrom",
  quiet_to: "quietTo",
  days_off: "daysOff",
  digest_at: "digestAt",
  summary_at: "summaryAt",
  language: "language",
  gets_reports: "getsReports",
};

export const contactPointRules: EntityRules<ContactPointDraft, ContactPointField> = {
  units: [
    ["ownerKind", "ownerId", "role"],
    ["channel"],
    ["name"],
    ["address"],
    ["url"],
    ["token"],
    ["phoneNumberId"],
    ["template", "templateLanguage"],
    ["quietFrom", "quietTo", "timezone"],
    ["daysOff"],
    ["criticalPierces"],
    ["digestAt"],
    ["summaryAt"],
    ["language"],
    ["getsReports"],
    ["enabled"],
  ],
  isSame: (one, other, field) => plain(one, field) === plain(other, field),
  labelOf: (field) => LABELS[field],
  fieldOf: (wire) => WIRE_FIELDS[wire] ?? null,
  textOf: (draft, field) => {
    if (field === "daysOff") return dayNames(draft.daysOff);
    if (field === "language") return mailLanguageNames[draft.language];
    if (field === "channel") return channelLook[draft.channel].label;
    const value = draft[field];
    return typeof value === "boolean" ? (value ? "Yes" : "No") : plain(draft, field);
  },
};

function plain(draft: ContactPointDraft, field: ContactPointField): string {
  const value = draft[field];
  return Array.isArray(value) ? value.toSorted((one, other) => one - other).join() : String(value ?? "").trim();
}

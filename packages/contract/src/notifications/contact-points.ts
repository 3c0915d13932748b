import { z } from "zod";
import { booleanInputSchema } from "../http/page.ts";
import { defineRoute } from "../http/route.ts";
import { requiredText, typedText } from "../http/text.ts";
import { idInputSchema, idSchema, instantSchema, versionSchema } from "../http/values.ts";

export const channelKindSchema = z.enum(["EMAIL", "SLACK", "TEAMS", "TELEGRAM", "WHATSAPP", "WEBHOOK"]);
export type ChannelKind = z.output<typeof channelKindSchema>;

export const siteRoleSchema = z.enum(["OWNER", "CARETAKER"]);
export type SiteRole = z.output<typeof siteRoleSchema>;

export const contactOwnerKindSchema = z.enum(["PERSON", "PARTNER", "SITE", "TEAM"]);
export type ContactOwnerKind = z.output<typeof contactOwnerKindSchema>;

/** The languages of mails about reports. */
export const mailLanguageSchema = z.enum(["en", "hi", "de", "es", "fr"]);
export type MailLanguage = z.output<typeof mailLanguageSchema>;

export const CONTACT_POINT_NAME_MAX = 80;
/** How many contact points one person, partner, site or team may have. */
export const CONTACT_POINTS_PER_OWNER = 20;

/** A time of day, `HH:MM`. */
export const timeOfDaySchema = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day, HH:MM, from 00:00 to 23:59");

/** An IANA time zone that this computer knows, by the name of its place, or UTC. */
export const timezoneInputSchema = z
  .string()
  .max(64)
  .refine((name) => {
    try {
      // Some engines know more: fixed offsets such as +05:30, and abbreviations such as IST, which is Kolkata to one and
      // Jerusalem to another.
      return (
        /^(?:UTC$|(?!SystemV)[A-Za-z]+\/)/.test(name) &&
        new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
      );
    } catch {
      return false;
    }
  }, "is not a time zone, such as Asia/Kolkata");

/** Monday is 1 and Sunday 7. At least one day of the week stays, or nobody would ever be told. */
const daysOffSchema = z
  .array(z.int().min(1).max(7))
  .max(6, "must leave at least one day")
  .refine((days) => new Set(days).size === days.length, "must name each day once");

/** When a contact point gets no message, in its own time zone. */
export const quietTimesSchema = z.object({
  timezone: timezoneInputSchema,
  /** Both or neither; an end before the start is on the next day. */
  quiet_from: timeOfDaySchema.nullable(),
  quiet_to: timeOfDaySchema.nullable(),
  days_off: daysOffSchema,
  /** Critical alerts are sent at any time. */
  critical_pierces: z.boolean(),
});
export type QuietTimes = z.output<typeof quietTimesSchema>;

/** Refinement of what has quiet times; its error is `HALF_A_QUIET_TIME`. */
function hasWholeQuietTime({ quiet_from, quiet_to }: Pick<QuietTimes, "quiet_from" | "quiet_to">): boolean {
  return (quiet_from === null) === (quiet_to === null);
}
const HALF_A_QUIET_TIME = { path: ["quiet_to"], message: "must be given together with quiet_from, or neither" };

/** What a WhatsApp message needs beside the number; no secret. */
export const whatsappOptionsSchema = z.object({
  phone_number_id: z.string().regex(/^\d{5,20}$/, "must be the id of the sending number, digits"),
  template: z
    .string()
    .regex(/^[a-z0-9_]{1,512}$/, "must be a template's name: lower-case letters, digits, underscores"),
  template_language: z.string().regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, "must be a language such as en or en_GB"),
});
export type WhatsappOptions = z.output<typeof whatsappOptionsSchema>;

export const contactPointSchema = z.object({
  id: idSchema,
  name: z.string(),
  owner: z.object({
    kind: contactOwnerKindSchema,
    id: idSchema,
    name: z.string(),
    /** Of a site's contact point; null otherwise. */
    role: siteRoleSchema.nullable(),
  }),
  channel: channelKindSchema,
  /** What may be shown of it: an email address, a phone number, a chat, or the host of an address with a secret. */
  address: z.string(),
  whatsapp: whatsappOptionsSchema.nullable(),
  ...quietTimesSchema.shape,
  /** When a digest of the last day is sent, each day; null for never. */
  digest_at: timeOfDaySchema.nullable(),
  /** When the summary of last night is sent, each day; null for never. */
  summary_at: timeOfDaySchema.nullable(),
  /** Of its mails about reports. */
  language: mailLanguageSchema,
  /** EMAIL of a SITE: gets the site's monthly reports. */
  gets_reports: z.boolean(),
  enabled: z.boolean(),
  /** When its recipient unsubscribed by a link; nothing is sent until it is enabled again. */
  unsubscribed_at: instantSchema.nullable(),
  last_sent_at: instantSchema.nullable(),
  /** The last failure, unless something was sent since. */
  failure: z.object({ at: instantSchema, reason: z.string(), reason_code: z.string() }).nullable(),
  version: versionSchema,
});
export type ContactPoint = z.output<typeof contactPointSchema>;

const optionalSecret = (max: number) => typedText(z.string()).max(max).nullish();

/** Which fields each channel needs is checked by `destinationProblem` of the domain. Secrets are never answered. */
const contactPointFields = {
  name: requiredText("Name is required", CONTACT_POINT_NAME_MAX),
  channel: channelKindSchema,
  /** EMAIL: the email address. TELEGRAM: the chat's id or @channel. WHATSAPP: the phone number, +919876543210. */
  address: typedText(z.string()).max(254).nullish(),
  /** SLACK, TEAMS, WEBHOOK: the address to call, which is a secret. Missing on an edit: as before. */
  url: optionalSecret(2000),
  /** TELEGRAM: the bot's token. WHATSAPP: the access token. Missing on an edit: as before. */
  token: optionalSecret(1000),
  whatsapp: whatsappOptionsSchema.nullish(),
  ...quietTimesSchema.shape,
  digest_at: timeOfDaySchema.nullish(),
  summary_at: timeOfDaySchema.nullish(),
  /** Missing: English, or as before on an edit. */
  language: mailLanguageSchema.optional(),
  /** EMAIL of a SITE only. Missing: no, or as before on an edit. */
  gets_reports: z.boolean().optional(),
  enabled: z.boolean(),
};

/** Whose it is: a PARTNER user may name himself or herself, the own partner, and contacts of the own sites. */
const ownerInputSchema = z.object({
  kind: contactOwnerKindSchema,
  /** A PERSON without an id is the caller. */
  id: idInputSchema.optional(),
  /** Of a SITE's contact point, which must have one. */
  role: siteRoleSchema.optional(),
});
export type ContactOwnerInput = z.output<typeof ownerInputSchema>;

const contactPointParams = z.object({ contactPointId: idInputSchema });

export const contactPointList = defineRoute({
  summary: "Contact points: a PARTNER's own, its partner's and its sites', a SUPER_ADMIN's all",
  method: "GET",
  path: "/api/notifications/contact-points",
  query: z.object({ site_id: idInputSchema.optional(), mine: booleanInputSchema.optional() }),
  response: z.array(contactPointSchema),
});

export const createContactPoint = defineRoute({
  summary: `Add a contact point; each person, partner, site and team may have ${CONTACT_POINTS_PER_OWNER}`,
  method: "POST",
  path: "/api/notifications/contact-points",
  maxBodyBytes: 16_384,
  body: z.object({ owner: ownerInputSchema, ...contactPointFields }).refine(hasWholeQuietTime, HALF_A_QUIET_TIME),
  status: 201,
  response: z.object({
    message: z.string(),
    contactPointId: idSchema,
    /** WEBHOOK: what its calls are signed with; told only here. Null for others. */
    signing_secret: z.string().nullable(),
  }),
});

export const updateContactPoint = defineRoute({
  summary: "Change a contact point; its owner and channel stay",
  method: "PUT",
  path: "/api/notifications/contact-points/:contactPointId",
  maxBodyBytes: 16_384,
  params: contactPointParams,
  body: z
    .object({ ...contactPointFields, version: versionSchema.optional() })
    .refine(hasWholeQuietTime, HALF_A_QUIET_TIME),
  response: z.object({ message: z.string() }),
});

export const deleteContactPoint = defineRoute({
  summary: "Delete a contact point; what was sent to it stays in the log",
  method: "DELETE",
  path: "/api/notifications/contact-points/:contactPointId",
  params: contactPointParams,
  response: z.object({ message: z.string() }),
});

export const replaceSigningSecret = defineRoute({
  summary: "Give a webhook a new signing secret; for a day its calls are signed with the former one, too",
  method: "POST",
  path: "/api/notifications/contact-points/:contactPointId/signing-secret",
  params: contactPointParams,
  response: z.object({ message: z.string(), signing_secret: z.string() }),
});

export const testContactPoint = defineRoute({
  summary: "Send a test message now, and answer what its service answered",
  method: "POST",
  path: "/api/notifications/contact-points/:contactPointId/test",
  params: contactPointParams,
  response: z.object({ delivered: z.boolean(), message: z.string() }),
});

/** Whom and what contact points, teams and rules can name. */
export const notificationOptions = defineRoute({
  summary: "Which channels this installation can use, and the people who can be told",
  method: "GET",
  path: "/api/notifications/options",
  response: z.object({
    channels: z.array(z.object({ channel: channelKindSchema, available: z.boolean() })),
    /** For a SUPER_ADMIN everybody, for a PARTNER nobody but the caller. */
    people: z.array(
      z.object({
        id: idSchema,
        name: z.string(),
        role: z.enum(["SUPER_ADMIN", "PARTNER"]),
        partner_name: z.string().nullable(),
        contact_points: z.int(),
      }),
    ),
  }),
});

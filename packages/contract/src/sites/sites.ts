import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { optionalText, requiredText } from "../http/text.ts";
import {
  dateSchema,
  dayInputSchema,
  degreesInputSchema,
  idInputSchema,
  idSchema,
  optionalEmailSchema,
  versionSchema,
} from "../http/values.ts";
import { energyFactInputs, energyFactsSchema } from "./site-energy-facts.ts";

export const siteStatusSchema = z.enum(["normal", "warning", "fault", "standby"]);
export type SiteStatus = z.output<typeof siteStatusSchema>;

/** §3 Site, server shape, with Suncrew's additional fields. */
export const siteSchema = z.object({
  id: idSchema,
  name: z.string(),
  address: z.string(),
  district: z.string(),
  state: z.string(),
  pin_code: z.string(),
  commissioning_date: dateSchema,
  maintenance_partner_id: idSchema.nullable(),
  maintenance_contact: z.string().nullable(),
  maintenance_contact_name: z.string().nullable(),
  maintenance_email: z.string().nullable(),
  latitude: z.number(),
  longitude: z.number(),
  /** IANA time zone, derived from the coordinates. */
  timezone: z.string(),
  partner_name: z.string().nullable(),
  partner_contact: z.string().nullable(),
  status: siteStatusSchema,
  robot_count: z.int(),
  active_robots: z.int(),
  online_robots: z.int(),
  /** Robots last seen moving that have gone silent and may still be moving (protocol rule 13). */
  may_be_moving_robots: z.int(),
  /** Sent back with an edit, so that it never overwrites somebody else's. */
  version: versionSchema,
  ...energyFactsSchema.shape,
});
export type Site = z.output<typeof siteSchema>;

export const siteDetails = defineRoute({
  summary: "Every site the user can see, with its counters",
  method: "GET",
  path: "/api/sites/details",
  revalidates: true,
  response: z.array(siteSchema),
});

export const SITE_NAME_MAX = 120;
export const SITE_ADDRESS_MAX = 300;
export const SITE_PLACE_MAX = 100;
export const CONTACT_MAX = 120;
export const PHONE_MAX = 40;

/** §5 Site create: the form's fields, each with its own error message. */
const siteFields = {
  name: requiredText("Site name is required", SITE_NAME_MAX),
  address: requiredText("Address is required", SITE_ADDRESS_MAX),
  district: requiredText("District is required", SITE_PLACE_MAX),
  state: requiredText("State is required", SITE_PLACE_MAX),
  pin_code: z
    .string({ error: "Pin code is required" })
    .trim()
    .min(1, { error: "Pin code is required", abort: true })
    .regex(/^\d{6}$/, "Pin code must have six digits"),
  commissioning_date: dayInputSchema("Commissioning date"),
  latitude: degreesInputSchema("Latitude", 90),
  longitude: degreesInputSchema("Longitude", 180),
  /** The contact's phone number; stored only for a site without a partner. */
  maintenance_contact: optionalText(PHONE_MAX),
  maintenance_contact_name: optionalText(CONTACT_MAX),
  maintenance_email: optionalEmailSchema,
  ...energyFactInputs,
};

/** An id, or null for none; anything else becomes undefined, which means the default. */
const partnerChoiceSchema = z
  .union([idInputSchema, z.null(), z.unknown().transform(() => undefined)])
  .optional()
  .meta({ description: "The partner's id; null for none. Missing or not an id: the default." });

export const siteBodySchema = z.object({ ...siteFields, maintenance_partner_id: partnerChoiceSchema });

/** The columns stored from the site form: inserted, read, compared and audited; also fields of `Site`. */
export const SITE_FIELDS = siteBodySchema.keyof().options;
export type SiteField = (typeof SITE_FIELDS)[number];

export const createSite = defineRoute({
  summary: "Create a site; without a partner id it belongs to partner 1, In-house",
  method: "POST",
  path: "/api/sites/create",
  body: siteBodySchema,
  status: 201,
  response: z.object({ message: z.string(), siteId: idSchema }),
});

export const updateSite = defineRoute({
  summary: "Change a site; a partner cannot reassign it",
  method: "PUT",
  path: "/api/sites/update/:id",
  params: z.object({ id: idInputSchema }),
  body: siteBodySchema.extend({ version: versionSchema.optional() }),
  response: z.object({ message: z.string() }),
});

export const deleteSite = defineRoute({
  summary: "Delete a site with its robots, groups and schedules; its history is retained",
  method: "DELETE",
  path: "/api/sites/delete/:id",
  params: z.object({ id: idInputSchema }),
  response: z.object({ message: z.string() }),
});

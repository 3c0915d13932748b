import { z } from "zod";
import { guardStateSchema } from "../guard/guard-state.ts";
import { defineRoute } from "../http/route.ts";
import { dateSchema, idSchema, versionSchema } from "../http/values.ts";
import { energyFactsSchema } from "./site-energy-facts.ts";

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
  /** Whether the weather lets its robots run; null without weather limits. Servers of older versions omit it. */
  weather_guard: guardStateSchema.nullable().optional(),
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

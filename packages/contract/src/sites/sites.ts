import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { dateSchema, idSchema } from "../http/values.ts";

export const siteStatusSchema = z.enum(["normal", "warning", "fault", "standby"]);
export type SiteStatus = z.output<typeof siteStatusSchema>;

/** §3 Site, server shape, with the added fields of the wire. */
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
  /** IANA zone found from the coordinates. */
  timezone: z.string(),
  partner_name: z.string().nullable(),
  partner_contact: z.string().nullable(),
  status: siteStatusSchema,
  robot_count: z.int(),
  active_robots: z.int(),
  online_robots: z.int(),
});
export type Site = z.output<typeof siteSchema>;

export const siteDetails = defineRoute({
  summary: "Every site the user may see, with its counters",
  method: "GET",
  path: "/api/sites/details",
  response: z.array(siteSchema),
});

import { z } from "zod";
import { severitySchema } from "./severity.ts";
import { booleanInputSchema, limitSchema, totalFields } from "../http/page.ts";
import { defineRoute } from "../http/route.ts";
import { idInputSchema, idSchema, instantSchema } from "../http/values.ts";

export const alertSourceSchema = z.enum(["ROBOT", "SERVER"]);
export type AlertSource = z.output<typeof alertSourceSchema>;

/** A problem of a robot, a site or Suncrew's own servers. */
export const alertSchema = z.object({
  /** A bigint as text. */
  id: z.string(),
  severity: severitySchema,
  source: alertSourceSchema,
  code: z.string(),
  /** Plain text. */
  text: z.string(),
  raised_at: instantSchema,
  /** Null while active. */
  cleared_at: instantSchema.nullable(),
  /** How often it was raised within the 24 hours up to the last time. */
  times: z.int().min(1),
  /** This and the name are null for alerts about Suncrew's own servers, which only Super Admins see. */
  site_id: idSchema.nullable(),
  site_name: z.string().nullable(),
  /** These three are null for alerts about a whole site or Suncrew's own servers. */
  robot_id: idSchema.nullable(),
  robot_name: z.string().nullable(),
  serial_number: z.string().nullable(),
  acknowledged_at: instantSchema.nullable(),
  acknowledged_by: z.string().nullable(),
  /** What that person wrote about it; null if nothing. Servers of older versions omit it. */
  comment: z.string().nullable().optional(),
  /** Written as sample data of a demo. */
  sample: z.boolean(),
});
export type Alert = z.output<typeof alertSchema>;

export const ALERTS_DEFAULT_LIMIT = 200;
export const ALERTS_MAX_LIMIT = 1000;

export const alertList = defineRoute({
  summary:
    "Alerts of robots and sites, and for a Super Admin also of Suncrew's servers: active ones, worst first and then newest, or cleared ones",
  method: "GET",
  path: "/api/alerts",
  query: z.object({
    /** Active (the default), cleared (newest first), or both. */
    state: z.enum(["open", "cleared", "all"]).optional(),
    severity: severitySchema.optional(),
    site_id: idInputSchema.optional(),
    robot_id: idInputSchema.optional(),
    /** Include alerts about Suncrew's own servers, which have no site; Super Admins only. */
    servers: booleanInputSchema.optional(),
    limit: limitSchema(ALERTS_MAX_LIMIT).optional(),
    cursor: z
      .string()
      .regex(/^[01]-[0-5]-\d{1,17}-\d{1,18}$/, "is not a cursor of this list")
      .optional(),
  }),
  response: z.object({
    alerts: z.array(alertSchema),
    ...totalFields,
    /** Counts of active alerts; of the filter, only site and robot apply. */
    open: z.object({ CRITICAL: z.int(), WARNING: z.int(), INFO: z.int() }),
    next_cursor: z.string().nullable(),
  }),
});

export const acknowledgeAlert = defineRoute({
  summary: "Acknowledge an alert; it stays active until it is cleared",
  method: "PUT",
  path: "/api/alerts/acknowledge/:alertId",
  params: z.object({ alertId: z.string().regex(/^\d{1,18}$/, "is not the id of an alert") }),
  response: z.object({ message: z.string() }),
});

import { z } from "zod";
import { severitySchema } from "./severity.ts";
import { booleanInputSchema, limitSchema, totalFields } from "../http/page.ts";
import { defineRoute } from "../http/route.ts";
import { idInputSchema, idSchema, instantSchema } from "../http/values.ts";

export const alertSourceSchema = z.enum(["ROBOT", "SERVER"]);

/** Something that is wrong with a robot, with a whole site, or with Suncrew's own servers. */
export const alertSchema = z.object({
  /** A bigint as text. */
  id: z.string(),
  severity: severitySchema,
  source: alertSourceSchema,
  code: z.string(),
  /** Plain words. */
  text: z.string(),
  raised_at: instantSchema,
  /** Null while it holds. */
  cleared_at: instantSchema.nullable(),
  /** How often the same was raised within the 24 hours before it was raised last. */
  times: z.int().min(1),
  /** This and the name are null where it is about Suncrew's own servers, which only a Super Admin is told. */
  site_id: idSchema.nullable(),
  site_name: z.string().nullable(),
  /** These three are null where it is about the whole site, or about Suncrew's own servers. */
  robot_id: idSchema.nullable(),
  robot_name: z.string().nullable(),
  serial_number: z.string().nullable(),
  acknowledged_at: instantSchema.nullable(),
  acknowledged_by: z.string().nullable(),
  /** Written as sample data of a demo. */
  sample: z.boolean(),
});
export type Alert = z.output<typeof alertSchema>;

export const ALERTS_DEFAULT_LIMIT = 200;
export const ALERTS_MAX_LIMIT = 1000;

export const alertList = defineRoute({
  summary:
    "Alerts of robots and sites, for a Super Admin of Suncrew's servers, too: those that hold, worst first and then the newest, or those of the past",
  method: "GET",
  path: "/api/alerts",
  query: z.object({
    /** Those that hold (the default), those that were cleared, newest first, or both. */
    state: z.enum(["open", "cleared", "all"]).optional(),
    severity: severitySchema.optional(),
    site_id: idInputSchema.optional(),
    robot_id: idInputSchema.optional(),
    /** Also those about Suncrew's own servers, which have no site; only a Super Admin has them. */
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
    /** Of those that hold, whatever the filter says but for site and robot. */
    open: z.object({ CRITICAL: z.int(), WARNING: z.int(), INFO: z.int() }),
    next_cursor: z.string().nullable(),
  }),
});

export const acknowledgeAlert = defineRoute({
  summary: "Say that somebody knows of an alert; it stays until it is cleared",
  method: "PUT",
  path: "/api/alerts/acknowledge/:alertId",
  params: z.object({ alertId: z.string().regex(/^\d{1,18}$/, "is not the id of an alert") }),
  response: z.object({ message: z.string() }),
});

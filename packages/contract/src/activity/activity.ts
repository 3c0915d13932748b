import { z } from "zod";
import { commandVerbSchema, travelDirectionSchema } from "../commands/commands.ts";
import { defineRoute } from "../http/route.ts";
import { booleanInputSchema, limitSchema, searchSchema, totalFields } from "../http/page.ts";
import { commandModeSchema } from "../robots/robot-mode.ts";
import { isWritable } from "../http/text.ts";
import {
  isOrderedRange,
  TO_BEFORE_FROM,
  idInputSchema,
  idSchema,
  instantInputSchema,
  instantSchema,
} from "../http/values.ts";

export const actionTypeSchema = z.enum(["MANUAL", "GROUP", "SCHEDULED", "SYSTEM"]);
export type ActionType = z.output<typeof actionTypeSchema>;

export const activityStatusSchema = z.enum(["SUCCESS", "FAILED", "REFUSED"]);
export type ActivityStatus = z.output<typeof activityStatusSchema>;

/** Exactly the five keys of §3 Activity log entry. */
export const activityParamsSchema = z.object({
  robotSerial: z.string(),
  mode: commandModeSchema,
  direction: travelDirectionSchema,
  "main-speed": z.number(),
  "brush-speed": z.number(),
});
export type ActivityParams = z.output<typeof activityParamsSchema>;

/** A START or STOP, refused and failed ones included, or the end of a run that no STOP ended. */
export const activityEntrySchema = z.object({
  /** A bigint as text. */
  log_id: z.string(),
  created_at: instantSchema,
  action: commandVerbSchema,
  action_type: actionTypeSchema,
  user_name: z.string(),
  status: activityStatusSchema,
  site_id: idSchema,
  site_name: z.string(),
  /** Absent for a PARTNER. */
  partner_name: z.string().nullable().optional(),
  robot_name: z.string(),
  serial_number: z.string(),
  details: z.string(),
  paramsObj: activityParamsSchema,
  /** Written as sample data of a demo. */
  sample: z.boolean(),
});
export type ActivityEntry = z.output<typeof activityEntrySchema>;

/** The default `limit`. */
export const ACTIVITY_DEFAULT_LIMIT = 500;
export const ACTIVITY_MAX_LIMIT = 1000;

/** Optional filters. */
export const activityFilterSchema = z.object({
  /** Case-insensitive substring of the site, partner (Super Admins only), person or robot name, serial number or details. */
  search: searchSchema.optional(),
  action: commandVerbSchema.optional(),
  site_id: idInputSchema.optional(),
  robot_id: idInputSchema.optional(),
  /** An exact `user_name`, or 'Scheduler'. */
  user: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .refine(isWritable, "contains characters that cannot occur in a name")
    .optional(),
  status: activityStatusSchema.optional(),
  /** Rows from this instant on. */
  from: instantInputSchema.optional(),
  /** Rows before this instant. */
  to: instantInputSchema.optional(),
});
export type ActivityFilter = z.output<typeof activityFilterSchema>;

export const activityLogs = defineRoute({
  summary: "STARTs and STOPs, newest first",
  method: "GET",
  path: "/api/site/robot/activity_logs",
  query: activityFilterSchema
    .extend({
      limit: limitSchema(ACTIVITY_MAX_LIMIT).optional(),
      /** `next_cursor` of the previous page. */
      cursor: z
        .string()
        .regex(/^\d{1,18}$/, "is not a cursor")
        .optional(),
      /** `true`: count every row, however many. */
      exact_total: booleanInputSchema.optional(),
    })
    .refine(isOrderedRange, TO_BEFORE_FROM),
  response: z.object({
    logs: z.array(activityEntrySchema),
    ...totalFields,
    next_cursor: z.string().nullable(),
  }),
});

/** All rows of `activityLogs` with the same filter, as a file. */
export const exportActivity = defineRoute({
  summary: "The activity log as CSV, newest first",
  method: "GET",
  path: "/api/site/robot/activity_logs/export",
  query: activityFilterSchema.refine(isOrderedRange, TO_BEFORE_FROM),
  file: "text/csv",
  response: z.string(),
});

export const activityUsers = defineRoute({
  summary: "The users that appear in the activity log, for its filter",
  method: "GET",
  path: "/api/site/robot/activity_logs/users",
  response: z.array(z.string()),
});

import { z } from "zod";
import { commandModeSchema, commandVerbSchema, travelDirectionSchema } from "../commands/commands.ts";
import { defineRoute } from "../http/route.ts";
import { booleanInputSchema, limitSchema, searchSchema, totalFields } from "../http/page.ts";
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

/** One START or STOP, also a refused or failed one, or the end of a run that no STOP ended. */
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

/** Without `limit` a call answers this many of the newest rows at the most. */
export const ACTIVITY_DEFAULT_LIMIT = 500;
export const ACTIVITY_MAX_LIMIT = 1000;

/** What narrows the list; every one of them may be left out. */
export const activityFilterSchema = z.object({
  /** Text within the name of the site, partner (Super Admins), person or robot, the serial number or details, in any case. */
  search: searchSchema.optional(),
  action: commandVerbSchema.optional(),
  site_id: idInputSchema.optional(),
  robot_id: idInputSchema.optional(),
  /** Exactly a `user_name`, also 'Scheduler'. */
  user: z.string().trim().min(1).max(200).refine(isWritable, "has characters that are in no name").optional(),
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
      /** `next_cursor` of the page before: rows older than it follow. */
      cursor: z
        .string()
        .regex(/^\d{1,18}$/, "is not a cursor")
        .optional(),
      /** `true` counts every row, however many there are. */
      exact_total: booleanInputSchema.optional(),
    })
    .refine(isOrderedRange, TO_BEFORE_FROM),
  response: z.object({
    logs: z.array(activityEntrySchema),
    ...totalFields,
    next_cursor: z.string().nullable(),
  }),
});

/** All that `activityLogs` tells in pages with the same filter, as a file. */
export const exportActivity = defineRoute({
  summary: "The activity log as CSV, newest first",
  method: "GET",
  path: "/api/site/robot/activity_logs/export",
  query: activityFilterSchema.refine(isOrderedRange, TO_BEFORE_FROM),
  file: "text/csv",
  response: z.string(),
});

export const activityUsers = defineRoute({
  summary: "Who stands in the activity log, for its filter",
  method: "GET",
  path: "/api/site/robot/activity_logs/users",
  response: z.array(z.string()),
});

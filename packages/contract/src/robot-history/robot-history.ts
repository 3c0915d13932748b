import { z } from "zod";
import { activityStatusSchema, actionTypeSchema } from "../activity/activity.ts";
import { severitySchema } from "../alerts/severity.ts";
import { rolloutRobotStateSchema } from "../firmware/firmware.ts";
import { limitSchema } from "../http/page.ts";
import { defineRoute } from "../http/route.ts";
import { idInputSchema, idSchema, instantInputSchema, instantSchema, serialSchema } from "../http/values.ts";
import { cleaningDirectionSchema, robotWithSettingsSchema } from "../robots/robots.ts";
import { runSchema } from "../runs/runs.ts";

const robotParams = z.object({ robotId: idInputSchema });

export const robotBySerial = defineRoute({
  summary: "One robot by its serial number, with the names around it",
  method: "GET",
  path: "/api/robots/bySerial/:robotSerial",
  params: z.object({ robotSerial: serialSchema }),
  response: z.object({
    robot: robotWithSettingsSchema,
    site_name: z.string(),
    timezone: z.string(),
    group_name: z.string().nullable(),
  }),
});

export const historySpanSchema = z.enum(["24h", "7d", "30d"]);
export type HistorySpan = z.output<typeof historySpanSchema>;

/** A time in maintenance. */
export const robotLockSchema = z.object({
  reason: z.string(),
  locked_by: z.string(),
  locked_at: instantSchema,
  /** Null until the robot confirmed it. */
  confirmed_at: instantSchema.nullable(),
  /** Null while it lasts. */
  released_at: instantSchema.nullable(),
  released_by: z.string().nullable(),
});
export type RobotLock = z.output<typeof robotLockSchema>;

export const robotAlertMarkSchema = z.object({
  /** A bigint as text. */
  id: z.string(),
  severity: severitySchema,
  text: z.string(),
  raised_at: instantSchema,
  cleared_at: instantSchema.nullable(),
});

/** The runs and alerts of a span that are marked, newest first; nobody can tell more apart. */
export const HISTORY_MARKS_LIMIT = 500;

const columnOf = (value: z.ZodNumber) => z.array(value.nullable());

export const robotHistory = defineRoute({
  summary:
    "What a robot did in a span of time, in a few hundred equal parts: battery, motion, speeds and connection, with its runs, alerts and locks",
  method: "GET",
  path: "/api/robots/history/:robotId",
  params: robotParams,
  query: z.object({
    span: historySpanSchema.default("24h"),
    /** The moment in the middle of the span; default: the span ends now. */
    at: instantInputSchema.optional(),
  }),
  response: z.object({
    timezone: z.string(),
    from: instantSchema,
    to: instantSchema,
    /** The length of a part. */
    part_ms: z.int(),
    /** One value for each part; null where the robot did not report. Percent. */
    battery_least: columnOf(z.number()),
    battery_most: columnOf(z.number()),
    battery_mean: columnOf(z.number()),
    /** The share of its reports that say it moves, 0 to 1. */
    moving: columnOf(z.number()),
    /** As set, while it moved; 0 while it stood. Percent. */
    main_speed: columnOf(z.number()),
    brush_speed: columnOf(z.number()),
    /** The share of the time in which it was connected, 0 to 1; null before it was known and for the time to come. */
    connected: columnOf(z.number()),
    /** Excludes time in maintenance; null if nothing counts. */
    uptime_percent: z.number().nullable(),
    runs: z.array(runSchema),
    alerts: z.array(robotAlertMarkSchema),
    locks: z.array(robotLockSchema),
    /** Some of it was written as sample data of a demo. */
    sample: z.boolean(),
  }),
});
export type RobotHistory = z.output<typeof robotHistory.response>;

/** What was asked of a robot. */
export const robotOrderSchema = z.object({
  /** Unique within the list. */
  key: z.string(),
  at: instantSchema,
  verb: z.enum(["START", "STOP", "SET", "MAINTENANCE_ON", "MAINTENANCE_OFF"]),
  action_type: actionTypeSchema,
  /** The person, or 'Scheduler'. */
  by: z.string(),
  /** Null while it is open. */
  status: activityStatusSchema.nullable(),
  /** Plain text: what became of it. */
  details: z.string(),
  sample: z.boolean(),
});
export type RobotOrder = z.output<typeof robotOrderSchema>;

export const ROBOT_ORDERS_DEFAULT_LIMIT = 50;

export const robotOrders = defineRoute({
  summary: "The commands of a robot with who gave them and their results, refused ones included, newest first",
  method: "GET",
  path: "/api/robots/orders/:robotId",
  params: robotParams,
  query: z.object({
    limit: limitSchema(200).optional(),
    /** `next_cursor` of the previous page. */
    cursor: z
      .string()
      .regex(/^\d{1,17}~[a-z0-9-]{1,40}$/, "is not a cursor")
      .optional(),
  }),
  response: z.object({ orders: z.array(robotOrderSchema), next_cursor: z.string().nullable() }),
});

const settingsSchema = z.object({
  cleaning_direction: cleaningDirectionSchema,
  main_motor_speed: z.number(),
  brush_motor_speed: z.number(),
});

/** The newest of each kind that `robotChanges` answers. */
export const ROBOT_CHANGES_LIMIT = 100;

export const robotChanges = defineRoute({
  summary: `What was changed about a robot: settings, firmware and maintenance, the newest ${ROBOT_CHANGES_LIMIT} of each`,
  method: "GET",
  path: "/api/robots/changes/:robotId",
  params: robotParams,
  response: z.object({
    settings: z.array(
      z.object({ id: z.string(), at: instantSchema, by: z.string(), before: settingsSchema, after: settingsSchema }),
    ),
    firmware: z.array(
      z.object({
        rollout_id: idSchema,
        version: z.string(),
        from_version: z.string().nullable(),
        state: rolloutRobotStateSchema,
        offered_at: instantSchema.nullable(),
        ended_at: instantSchema.nullable(),
        reason: z.string().nullable(),
      }),
    ),
    locks: z.array(robotLockSchema),
  }),
});
export type RobotChanges = z.output<typeof robotChanges.response>;

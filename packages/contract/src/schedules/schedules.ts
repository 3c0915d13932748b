import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { idInputSchema, idSchema, instantSchema, versionSchema } from "../http/values.ts";

/** WHEN_WORTH_IT: on each day it is decided whether it runs. */
export const frequencySchema = z.enum(["ONCE", "DAILY", "WEEKLY", "MONTHLY", "WHEN_WORTH_IT"]);
export type Frequency = z.output<typeof frequencySchema>;

/** COMPLETED: a ONCE schedule that has run, retained until edited or deleted. INACTIVE: turned off. */
export const scheduleStatusSchema = z.enum(["ACTIVE", "INACTIVE", "COMPLETED"]);
export type ScheduleStatus = z.output<typeof scheduleStatusSchema>;

/** §5 Schedule: shortest, longest and default duration. */
export const SCHEDULE_MIN_MINUTES = 1;
export const SCHEDULE_MAX_MINUTES = 480;
export const SCHEDULE_DEFAULT_MINUTES = 30;

/** Of a schedule "when worth it": the longest and the default days between its runs, at least and at most. */
export const MOST_DAYS_MAX = 365;
export const LEAST_DAYS_DEFAULT = 1;
export const MOST_DAYS_DEFAULT = 14;

/** Local time at the site, `YYYY-MM-DD HH:MM:SS`, on a valid date. */
export const localTimeSchema = z
  .string()
  .regex(
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/,
    "must be a local time, YYYY-MM-DD HH:MM:SS",
  )
  .refine((text) => z.iso.date().safeParse(text.slice(0, 10)).success, "must be a valid date");

export const decisionSchema = z.object({
  decided_at: instantSchema,
  runs: z.boolean(),
  /** Plain text: why, with its code. */
  text: z.string(),
  code: z.string(),
});

/** A schedule, in every response. */
export const scheduleSchema = z.object({
  id: idSchema,
  group_id: idSchema,
  site_id: idSchema,
  action: z.literal("START"),
  start_time: z.string(),
  duration_minutes: z.int(),
  frequency: frequencySchema,
  status: scheduleStatusSchema,
  /** Null if nothing will run. */
  next_run_at: instantSchema.nullable(),
  /** What a due run is waiting for, as text; null if none is waiting. */
  waiting: z.string().nullable(),
  /** Runs wait while the site's weather advice for the day is Not Recommended. */
  skip_on_rain: z.boolean(),
  /**
   * Of WHEN_WORTH_IT: days between two runs, at least and at most; null where never set. Servers of older versions omit
   * them and the next two.
   */
  least_days: z.int().nullable().default(null),
  most_days: z.int().nullable().default(null),
  /** Of WHEN_WORTH_IT: when it is decided whether it runs at `next_run_at`, and what was; null if nothing is due. */
  decides_at: instantSchema.nullable().default(null),
  decision: decisionSchema.nullable().default(null),
  version: versionSchema,
});
export type Schedule = z.output<typeof scheduleSchema>;

const daysInputSchema = z.int().min(1).max(MOST_DAYS_MAX).optional();

/** §5: whole minutes, as a number or text. */
const durationInputSchema = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,4}$/, "Duration must be between 1 and 480 minutes.")
      .transform(Number),
  ])
  .pipe(
    z
      .int("Duration must be between 1 and 480 minutes.")
      .min(SCHEDULE_MIN_MINUTES, "Duration must be between 1 and 480 minutes.")
      .max(SCHEDULE_MAX_MINUTES, "Duration must be between 1 and 480 minutes."),
  );

const scheduleBody = z.object({
  site_id: idInputSchema,
  group_id: idInputSchema,
  action: z.literal("START").default("START"),
  start_time: localTimeSchema,
  duration_minutes: durationInputSchema,
  frequency: frequencySchema.default("ONCE"),
  /** The form sends INACTIVE when its toggle is off. */
  status: z.enum(["ACTIVE", "INACTIVE"]).default("ACTIVE"),
  skip_on_rain: z.boolean().default(false),
  /** Of WHEN_WORTH_IT; left out, they stay, or are the default. */
  least_days: daysInputSchema,
  most_days: daysInputSchema,
});

export const getRobotSchedule = defineRoute({
  summary: "The schedules of a site's groups",
  method: "GET",
  path: "/api/robots/group/getRobotSchedule/:siteId",
  params: z.object({ siteId: idInputSchema }),
  response: z.object({ message: z.literal("Schedule Fetched Successfully"), schedules: z.array(scheduleSchema) }),
});

export const createSchedule = defineRoute({
  summary: "Create a group's schedule; a second one is refused with 409",
  method: "POST",
  path: "/api/robots/group/schedule",
  body: scheduleBody,
  status: 201,
  response: z.object({ message: z.string(), scheduleId: idSchema, schedule: scheduleSchema }),
});

export const updateSchedule = defineRoute({
  summary: "Change a schedule",
  method: "PUT",
  path: "/api/robots/group/updateSchedule/:scheduleId",
  params: z.object({ scheduleId: idInputSchema }),
  body: scheduleBody.extend({ version: versionSchema.optional() }),
  response: z.object({ message: z.string(), schedule: scheduleSchema }),
});

export const deleteSchedule = defineRoute({
  summary: "Delete a schedule; the group and its robots stay, and a run in progress is still stopped on time",
  method: "DELETE",
  path: "/api/robots/group/deleteSchedule/:scheduleId",
  params: z.object({ scheduleId: idInputSchema }),
  response: z.object({ message: z.string() }),
});

import { z } from "zod";
import { actionTypeSchema } from "../activity/activity.ts";
import { defineRoute } from "../http/route.ts";
import { dateSchema, idInputSchema, idSchema, instantSchema } from "../http/values.ts";
import { runOutcomeSchema } from "../robots/run-outcome.ts";

/** One robot's cleaning, from when it was due or began; includes runs that never began. */
export const runSchema = z.object({
  id: z.uuid(),
  site_id: idSchema,
  robot_id: idSchema,
  /** Name and serial number at the time of the run. */
  robot_name: z.string(),
  serial_number: z.string(),
  schedule_id: idSchema.nullable(),
  group_id: idSchema.nullable(),
  /** The group's name at the time of the run. */
  group_name: z.string().nullable(),
  action_type: actionTypeSchema,
  /** The person, 'Scheduler', or 'Robot' if it was started at the robot. */
  started_by: z.string(),
  /** Planned times; null for a manual run. */
  due_at: instantSchema.nullable(),
  stop_due_at: instantSchema.nullable(),
  /** Actual times; null if it never began, or has not ended yet. */
  began_at: instantSchema.nullable(),
  ended_at: instantSchema.nullable(),
  battery_began: z.number().nullable(),
  battery_ended: z.number().nullable(),
  /** Null while it is due or in progress. */
  outcome: runOutcomeSchema.nullable(),
  /** Plain text: why it ended, or never began. */
  reason: z.string().nullable(),
  /** Written as sample data of a demo. */
  sample: z.boolean(),
});
export type Run = z.output<typeof runSchema>;

export const RUNS_DEFAULT_LIMIT = 200;
export const RUNS_MAX_LIMIT = 1000;

export const runsList = defineRoute({
  summary: "Runs, completed or not, newest first",
  method: "GET",
  path: "/api/runs",
  query: z.object({
    site_id: idInputSchema.optional(),
    robot_id: idInputSchema.optional(),
    /** Runs due or begun from this instant on. */
    from: instantSchema.optional(),
    /** Runs due or begun before this instant. */
    to: instantSchema.optional(),
    limit: z.coerce.number().pipe(z.int().min(1).max(RUNS_MAX_LIMIT)).optional(),
    /** `next_cursor` of the previous page. */
    cursor: z
      .string()
      .regex(/^\d{1,17}~[0-9a-f-]{36}$/, "is not a cursor")
      .optional(),
  }),
  response: z.object({ runs: z.array(runSchema), next_cursor: z.string().nullable() }),
});

/** Numbers of single robots' runs, for today at each site. */
export const runCountsSchema = z.object({
  /** Still scheduled for today. */
  planned: z.int(),
  running: z.int(),
  /** Planned time reached, finished by the robot, or a manual run ended by a person after a minute or more. */
  done: z.int(),
  /** Ended earlier by a person. */
  stopped: z.int(),
  /** Ended early by fault, battery or lost link. */
  cut_short: z.int(),
  failed: z.int(),
  skipped: z.int(),
  missed: z.int(),
});
export type RunCounts = z.output<typeof runCountsSchema>;

export const runsToday = defineRoute({
  summary: "Today's cleaning at all sites the user can see",
  method: "GET",
  path: "/api/runs/today",
  response: runCountsSchema,
});

/** The counts of today that are backed by recorded runs, which planned ones are not yet. */
export const recordedCountSchema = runCountsSchema.omit({ planned: true }).keyof();
export type RecordedCount = z.output<typeof recordedCountSchema>;

export const RUNS_OF_TODAY_LIMIT = 10_000;

export const runsOfToday = defineRoute({
  summary: `The runs behind one of today's counts, newest first, at most ${RUNS_OF_TODAY_LIMIT}`,
  method: "GET",
  path: "/api/runs/today/list",
  query: z.object({ count: recordedCountSchema }),
  response: z.object({ runs: z.array(runSchema.extend({ site_name: z.string(), timezone: z.string() })) }),
});
export type RunOfToday = z.output<typeof runsOfToday.response>["runs"][number];

export const calendarStateSchema = z.enum(["PLANNED", "RUNNING", "OVER"]);

/** The runs of one group at one due time, or one manual run. */
export const calendarEntrySchema = z.object({
  /** Unique within a week. */
  key: z.string(),
  state: calendarStateSchema,
  action_type: actionTypeSchema,
  group_id: idSchema.nullable(),
  /** The group's name, or the robot's serial number for a manual run. */
  title: z.string(),
  begins_at: instantSchema,
  /** Planned end, or actual end once over; null while a run without a planned end is in progress. */
  ends_at: instantSchema.nullable(),
  /** Local time at the site, `HH:MM`. */
  local_time: z.string(),
  robots: z.int(),
  counts: runCountsSchema,
  /** For robots whose run was not completed: which and why. */
  reasons: z.array(z.object({ serial_number: z.string(), outcome: runOutcomeSchema, reason: z.string() })),
  /**
   * Of a schedule "when worth it" without runs at this time: whether it will run, null until that is decided, and why.
   * Servers of older versions omit it.
   */
  by_need: z
    .object({ runs: z.boolean().nullable(), decides_at: instantSchema, text: z.string().nullable() })
    .nullable()
    .default(null),
  sample: z.boolean(),
});
export type CalendarEntry = z.output<typeof calendarEntrySchema>;

export const runsCalendar = defineRoute({
  summary: "A week of a site: what was done and what is planned, Monday to Sunday in the site's time",
  method: "GET",
  path: "/api/runs/calendar/:siteId",
  params: z.object({ siteId: idInputSchema }),
  query: z.object({
    /** Any day of the week; default: the site's today. */
    day: dateSchema.optional(),
  }),
  response: z.object({
    timezone: z.string(),
    today: dateSchema,
    days: z.array(z.object({ date: dateSchema, entries: z.array(calendarEntrySchema) })),
  }),
});

export const FLEET_CALENDAR_MAX_DAYS = 31;

/** A night of a site, noon to noon of its time: what its robots did, and what is still planned. */
export const fleetNightSchema = z.object({
  /** The date of its evening. */
  date: dateSchema,
  /** Robots by the best of their runs, and those whose run is still planned; only counts above zero. */
  counts: runCountsSchema.partial(),
  /** Null if nothing is planned any more. */
  plan: z
    .object({
      /** When the first group begins, local time at the site, `HH:MM`. */
      first: z.string(),
      /** Of the longest run. */
      minutes: z.int(),
      groups: z.int(),
    })
    .nullable(),
});
export type FleetNight = z.output<typeof fleetNightSchema>;

export const siteNightsSchema = z.object({
  site_id: idSchema,
  /** The evening of the site's night in progress, noon to noon. */
  tonight: dateSchema,
  /** Those in which something was done or is planned. */
  nights: z.array(fleetNightSchema),
});

export const runsFleetCalendar = defineRoute({
  summary: `What was cleaned and what is planned at every site the user can see, by night, at most ${FLEET_CALENDAR_MAX_DAYS}`,
  method: "GET",
  path: "/api/runs/fleet-calendar",
  query: z.object({
    /** The evening of the first night; by default tonight's is in the middle. */
    from: dateSchema.optional(),
    days: z.coerce.number().pipe(z.int().min(1).max(FLEET_CALENDAR_MAX_DAYS)).default(7),
  }),
  response: z.object({
    /** The evenings, in order. */
    dates: z.array(dateSchema),
    /** The evening of the night that most sites are in. */
    tonight: dateSchema,
    sites: z.array(siteNightsSchema),
  }),
});

export const runsNight = defineRoute({
  summary: "A night of a site, noon to noon of its time: what was done and what is planned",
  method: "GET",
  path: "/api/runs/calendar/:siteId/night",
  params: z.object({ siteId: idInputSchema }),
  query: z.object({
    /** The date of its evening. */
    date: dateSchema,
  }),
  response: z.object({ timezone: z.string(), entries: z.array(calendarEntrySchema) }),
});

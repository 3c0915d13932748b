import { z } from "zod";
import { severitySchema } from "../alerts/severity.ts";
import { defineRoute } from "../http/route.ts";
import { livePositionSchema } from "../http/live-position.ts";
import { operatingModeSchema } from "./robot-mode.ts";
import { runOutcomeSchema } from "./run-outcome.ts";
import {
  dateSchema,
  idInputSchema,
  idSchema,
  instantSchema,
  percentInputSchema,
  versionSchema,
} from "../http/values.ts";

/** The mapped status (§3 Robot, client shape). */
export const robotStatusSchema = z.enum(["normal", "idle", "warning", "offline", "standby", "critical"]);
export type RobotStatus = z.output<typeof robotStatusSchema>;

export const cleaningDirectionSchema = z.enum(["FORWARD", "REVERSE"]);
export type CleaningDirection = z.output<typeof cleaningDirectionSchema>;

export const motionSchema = z.enum(["STOPPED", "MOVING"]);
export type Motion = z.output<typeof motionSchema>;

export const openCommandSchema = z.object({
  id: z.uuid(),
  verb: z.enum(["START", "STOP", "SET", "MAINTENANCE_ON", "MAINTENANCE_OFF"]),
  issued_at: instantSchema,
  /** True for an unconfirmed STOP or maintenance lock that is retried until confirmed. */
  pending: z.boolean(),
});

export const currentRunSchema = z.object({
  run_id: z.uuid(),
  began_at: instantSchema,
  /** When the robot stops on its own at the latest. */
  planned_end_at: instantSchema.nullable(),
  /**
   * Whether it is to end then by its schedule, or by the duration that a person named; otherwise that is only its limit.
   * Servers of older versions omit this and the next.
   */
  planned: z.boolean().optional(),
  /** The person, 'Scheduler', or 'Robot' if it was started at the robot. */
  started_by: z.string().optional(),
});

/** A robot's maintenance lock: who set it, why and when. */
export const robotMaintenanceLockSchema = z.object({
  reason: z.string(),
  locked_by: z.string(),
  locked_at: instantSchema,
  /** Whether the robot has confirmed the lock. */
  confirmed: z.boolean(),
});

/** A robot's last completed run in which it moved. */
export const lastRunSchema = z.object({
  run_id: z.uuid(),
  began_at: instantSchema,
  ended_at: instantSchema,
  outcome: runOutcomeSchema,
  started_by: z.string(),
  reason: z.string().nullable(),
});

/** A robot's newest run, if that run never began. */
export const runNotBegunSchema = z.object({
  run_id: z.uuid(),
  /** When it was due, or when somebody tried to start it manually. */
  at: instantSchema,
  planned: z.boolean(),
  outcome: runOutcomeSchema,
  reason: z.string().nullable(),
});

/** A robot that was last seen moving and has gone silent (protocol rule 13); `motion` is its last known motion. */
export const lostRobotSchema = z.object({
  state: z.enum(["MAY_BE_MOVING", "MUST_HAVE_STOPPED"]),
  lost_at: instantSchema,
  /** When it stops on its own at the latest (protocol rule 4); assumed to have stopped one minute later. */
  stops_by: instantSchema,
});
export type LostRobot = z.output<typeof lostRobotSchema>;

/** Shown for a robot while it is updating; it does not move until it is done. */
const firmwareUpdateSchema = z.object({
  rollout_id: idSchema,
  version: z.string(),
  state: z.enum(["OFFERED", "DOWNLOADING", "INSTALLING"]),
  percent: z.number().nullable(),
});

/** The part of a robot that changes without an edit; the live stream carries all of it on every change. */
export const robotLiveSchema = z.object({
  robot_id: idSchema,
  site_id: idSchema,
  serial_number: z.string(),
  status: robotStatusSchema,
  /** Reachable by the presence rules, regardless of `status`. */
  online: z.boolean(),
  /** Last known motion. */
  motion: motionSchema.nullable(),
  /** Null if the robot is online or was last seen stopped. */
  lost_while_moving: lostRobotSchema.nullable(),
  charging: z.boolean(),
  battery_level: z.number(),
  operating_mode: operatingModeSchema,
  cleaning_direction: cleaningDirectionSchema,
  main_motor_speed: z.number(),
  brush_motor_speed: z.number(),
  firmware_version: z.string(),
  /** Readable texts, worst first. */
  alerts: z.array(z.string()),
  /** The severity of each of `alerts`, in the same order. */
  alert_severities: z.array(severitySchema),
  /** When the last live report was received. */
  last_updated_at: instantSchema.nullable(),
  last_cleaned_at: instantSchema.nullable(),
  current_run: currentRunSchema.nullable(),
  open_command: openCommandSchema.nullable(),
  last_run: lastRunSchema.nullable(),
  run_not_begun: runNotBegunSchema.nullable(),
  maintenance: robotMaintenanceLockSchema.nullable(),
  /** Firmware it was offered and does not run yet. */
  firmware_update: firmwareUpdateSchema.nullable(),
  /** Its group, if any, which gives it the AUTO badge. */
  group_id: idSchema.nullable(),
  /** Edit count, sent back with an edit. Higher than in a list: somebody has edited the robot since. */
  version: versionSchema,
});
export type RobotLive = z.output<typeof robotLiveSchema>;

const robotFixedSchema = z.object({
  robot_name: z.string(),
  motor_type: z.string().nullable(),
  control_type: z.string().nullable(),
  installation_date: dateSchema,
});

/** §3 Robot, server shape, with Suncrew's additional fields. */
export const robotWithSettingsSchema = robotLiveSchema.extend(robotFixedSchema.shape);
export type RobotWithSettings = z.output<typeof robotWithSettingsSchema>;

/** The same robot in robotsList, where its id is named `id`. */
export const robotListItemSchema = robotWithSettingsSchema.omit({ robot_id: true }).extend({ id: idSchema });
export type RobotListItem = z.output<typeof robotListItemSchema>;

const siteParams = z.object({ siteId: idInputSchema });

export const robotDetailsWithSettings = defineRoute({
  summary: "The robots of a site with their settings",
  method: "GET",
  path: "/api/robots/getRobotDetailsWithSettings/:siteId",
  params: siteParams,
  response: z.object({ robots: z.array(robotWithSettingsSchema) }),
});

export const robotsList = defineRoute({
  summary: "The robots of a site",
  method: "GET",
  path: "/api/robots/robotsList/:siteId",
  params: siteParams,
  response: z.array(robotListItemSchema),
});

/** What the live stream does not say about robots, because it only changes with an edit. */
export const robotDirectory = defineRoute({
  summary: "Every robot and group the user can see: their names, and the robots' motors",
  method: "GET",
  path: "/api/robots/directory",
  revalidates: true,
  response: z.object({
    robots: z.array(robotFixedSchema.extend({ robot_id: idSchema })),
    groups: z.array(z.object({ id: idSchema, site_id: idSchema, group_name: z.string() })),
  }),
});
export type RobotDirectory = z.output<typeof robotDirectory.response>;

export const updateRobotSettings = defineRoute({
  summary: "Change direction or motor speeds; stored when the robot confirms them",
  method: "PUT",
  path: "/api/robots/updateRobotSettings/:robotId",
  device: true,
  params: z.object({ robotId: idInputSchema }),
  body: z
    .object({
      cleaning_direction: cleaningDirectionSchema,
      main_motor_speed: percentInputSchema,
      brush_motor_speed: percentInputSchema,
    })
    .partial()
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      message: "At least one of cleaning_direction, main_motor_speed and brush_motor_speed is required.",
      path: ["cleaning_direction"],
    }),
  response: z.object({
    success: z.literal(true),
    message: z.string(),
    /** From where on the live stream shows the new settings. */
    live_position: livePositionSchema.optional(),
  }),
});

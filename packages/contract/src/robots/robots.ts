import { z } from "zod";
import { severitySchema } from "../alerts/severity.ts";
import { firmwareUpdateSchema } from "../firmware/firmware.ts";
import { defineRoute } from "../http/route.ts";
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

export const operatingModeSchema = z.enum(["auto", "manual", "maintenance"]);
export type OperatingMode = z.output<typeof operatingModeSchema>;

export const cleaningDirectionSchema = z.enum(["FORWARD", "REVERSE"]);
export type CleaningDirection = z.output<typeof cleaningDirectionSchema>;

export const motionSchema = z.enum(["STOPPED", "MOVING"]);
export type Motion = z.output<typeof motionSchema>;

export const openCommandSchema = z.object({
  id: z.uuid(),
  verb: z.enum(["START", "STOP", "SET", "MAINTENANCE_ON", "MAINTENANCE_OFF"]),
  issued_at: instantSchema,
  /** True for a STOP or maintenance lock that outlived its answer and is sent again until confirmed. */
  pending: z.boolean(),
});

export const currentRunSchema = z.object({
  run_id: z.uuid(),
  began_at: instantSchema,
  /** When the robot stops by itself at the latest. */
  planned_end_at: instantSchema.nullable(),
});

/** The lock on a robot: who set it, why and since when. */
export const robotMaintenanceLockSchema = z.object({
  reason: z.string(),
  locked_by: z.string(),
  locked_at: instantSchema,
  /** The robot showed that it keeps the lock; false means "not confirmed by the robot". */
  confirmed: z.boolean(),
});

/** The last cleaning of a robot that is over and in which it moved. */
export const lastRunSchema = z.object({
  run_id: z.uuid(),
  began_at: instantSchema,
  ended_at: instantSchema,
  outcome: runOutcomeSchema,
  started_by: z.string(),
  reason: z.string().nullable(),
});

/** A robot's newest run, where it never came about. */
export const runNotBegunSchema = z.object({
  run_id: z.uuid(),
  /** When it was due, or was to be started by hand. */
  at: instantSchema,
  planned: z.boolean(),
  outcome: runOutcomeSchema,
  reason: z.string().nullable(),
});

/** A robot that was last seen moving and is not heard any more: `motion` tells how it was seen (protocol rule 13). */
export const lostRobotSchema = z.object({
  state: z.enum(["MAY_BE_MOVING", "MUST_HAVE_STOPPED"]),
  lost_at: instantSchema,
  /** By then it stops by itself, whatever it hears (protocol rule 4); that it has is believed a minute later. */
  stops_by: instantSchema,
});
export type LostRobot = z.output<typeof lostRobotSchema>;

/** The part of a robot that changes by itself; the live stream carries it whole on every change. */
export const robotLiveSchema = z.object({
  robot_id: idSchema,
  site_id: idSchema,
  serial_number: z.string(),
  status: robotStatusSchema,
  /** Reachable by the rules of presence, whatever the status says. */
  online: z.boolean(),
  /** As the robot was last seen. */
  motion: motionSchema.nullable(),
  /** Null where the robot is heard, or was last seen to stand. */
  lost_while_moving: lostRobotSchema.nullable(),
  charging: z.boolean(),
  battery_level: z.number(),
  operating_mode: operatingModeSchema,
  cleaning_direction: cleaningDirectionSchema,
  main_motor_speed: z.number(),
  brush_motor_speed: z.number(),
  firmware_version: z.string(),
  /** Plain sentences, worst first. */
  alerts: z.array(z.string()),
  /** How bad each of `alerts` is, in the same order. */
  alert_severities: z.array(severitySchema),
  /** When the readings were last true: receipt of the last live report. */
  last_updated_at: instantSchema.nullable(),
  last_cleaned_at: instantSchema.nullable(),
  current_run: currentRunSchema.nullable(),
  open_command: openCommandSchema.nullable(),
  last_run: lastRunSchema.nullable(),
  run_not_begun: runNotBegunSchema.nullable(),
  maintenance: robotMaintenanceLockSchema.nullable(),
  /** New firmware that it was offered and has not shown yet. */
  firmware_update: firmwareUpdateSchema.nullable(),
  /** The group it belongs to; the AUTO badge comes from it. */
  group_id: idSchema.nullable(),
  /** Counts the edits of its form; sent back with one. A higher one than that of a list: somebody edited it meanwhile. */
  version: versionSchema,
});
export type RobotLive = z.output<typeof robotLiveSchema>;

const robotFixedSchema = z.object({
  robot_name: z.string(),
  motor_type: z.string().nullable(),
  control_type: z.string().nullable(),
  installation_date: dateSchema,
});

/** §3 Robot, server shape, with the added fields of the wire. */
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

export const updateRobotSettings = defineRoute({
  summary: "Change direction or motor speeds; stored once the robot confirms them",
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
  response: z.object({ success: z.literal(true), message: z.string() }),
});

import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { typedText } from "../http/text.ts";
import { idInputSchema, idSchema, instantSchema } from "../http/values.ts";

/** §5 Deploy firmware: accepted file types. */
export const FIRMWARE_ENDINGS = [".bin", ".hex", ".fw"] as const;
export const FIRMWARE_MAX_BYTES = 16 * 1_048_576;

/** As the robot reports it once it is running. */
export const firmwareVersionSchema = z
  .string({ error: "Version is required" })
  .trim()
  .regex(
    /^[0-9A-Za-z][0-9A-Za-z._+-]{0,39}$/,
    "must have 1 to 40 letters, digits, dots, hyphens, plus signs or underscores",
  );

const fileNameSchema = typedText(z.string({ error: "A file is required" }))
  .min(1, "A file is required")
  .max(200)
  .refine(
    (name) => FIRMWARE_ENDINGS.some((ending) => name.toLowerCase().endsWith(ending)),
    `must end in ${FIRMWARE_ENDINGS.join(", ")}`,
  );

export const firmwareSchema = z.object({
  id: idSchema,
  version: z.string(),
  file_name: z.string(),
  bytes: z.int(),
  /** In hex. */
  sha256: z.string(),
  created_at: instantSchema,
  created_by: z.string(),
});
export type Firmware = z.output<typeof firmwareSchema>;

export const firmwareList = defineRoute({
  summary: "Uploaded firmware, newest first",
  method: "GET",
  path: "/api/firmware",
  response: z.array(firmwareSchema),
});

/** Idempotent: the same bytes under the same version return the stored firmware. */
export const uploadFirmware = defineRoute({
  summary: "Upload firmware; the body is the file",
  method: "POST",
  path: "/api/firmware",
  query: z.object({ version: firmwareVersionSchema, file_name: fileNameSchema }),
  upload: "application/octet-stream",
  maxBodyBytes: FIRMWARE_MAX_BYTES,
  status: 201,
  response: z.object({ message: z.string(), firmwareId: idSchema, sha256: z.string() }),
});

export const deleteFirmware = defineRoute({
  summary: "Delete firmware that no rollout needs any more",
  method: "DELETE",
  path: "/api/firmware/:firmwareId",
  params: z.object({ firmwareId: idInputSchema }),
  response: z.object({ message: z.string() }),
});

/** For robots: the URL comes with the offer, is signed for one robot, and expires. */
export const firmwareFile = defineRoute({
  summary: "The firmware file, for the robot it was offered to",
  method: "GET",
  path: "/api/firmware/file/:offerId",
  params: z.object({ offerId: z.uuid() }),
  query: z.object({
    /** Unix seconds. */
    expires: z.string().regex(/^\d{1,12}$/),
    signature: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  open: true,
  file: "application/octet-stream",
  response: z.string(),
});

/** WAITING robots may be offered the firmware; DONE, FAILED, SKIPPED and CANCELLED are final. */
export const rolloutRobotStateSchema = z.enum([
  "WAITING",
  "OFFERED",
  "DOWNLOADING",
  "INSTALLING",
  "DONE",
  "FAILED",
  "SKIPPED",
  "CANCELLED",
]);
export type RolloutRobotState = z.output<typeof rolloutRobotStateSchema>;

export const rolloutStateSchema = z.enum(["RUNNING", "PAUSED", "DONE", "CANCELLED"]);
export type RolloutState = z.output<typeof rolloutStateSchema>;

export const rolloutRobotSchema = z.object({
  robot_id: idSchema,
  robot_name: z.string(),
  serial_number: z.string(),
  site_id: idSchema,
  site_name: z.string(),
  state: rolloutRobotStateSchema,
  /** The first robot; all others wait for it. */
  canary: z.boolean(),
  /** Download progress; null before and after. */
  percent: z.number().nullable(),
  from_version: z.string().nullable(),
  /** Plain text: what it is waiting for, or why it failed or was skipped. */
  reason: z.string().nullable(),
  /** SKIPPED because no offer was possible within the rollout's `wait_limit_hours`. */
  gave_up: z.boolean(),
  offered_at: instantSchema.nullable(),
  ended_at: instantSchema.nullable(),
});
export type RolloutRobot = z.output<typeof rolloutRobotSchema>;

export const rolloutSchema = z.object({
  id: idSchema,
  firmware_id: idSchema,
  version: z.string(),
  file_name: z.string(),
  state: rolloutStateSchema,
  /** Why it paused automatically. */
  reason: z.string().nullable(),
  created_at: instantSchema,
  created_by: z.string(),
  ended_at: instantSchema.nullable(),
  batch_size: z.int(),
  /** It pauses automatically once more than this share of the finished robots has failed. */
  failure_threshold_percent: z.int(),
  /** Minutes from the offer until a robot that does not run the firmware has failed; waiting does not count. */
  deadline_minutes: z.int(),
  /**
   * A robot that cannot be offered the firmware is skipped this long after the rollout began or was last resumed, but
   * never while other robots can still be offered it.
   */
  wait_limit_hours: z.int(),
  /** Number of robots in each state. */
  counts: z.record(rolloutRobotStateSchema, z.int()),
});
export type Rollout = z.output<typeof rolloutSchema>;

export const ROLLOUT_MAX_ROBOTS = 5_000;
export const ROLLOUT_BATCH_SIZE = 10;
export const ROLLOUT_FAILURE_THRESHOLD_PERCENT = 20;
export const ROLLOUT_DEADLINE_MINUTES = 15;
export const ROLLOUT_WAIT_LIMIT_HOURS = 24;
/** Inclusive integer ranges of a rollout's settings. */
export const ROLLOUT_RANGES = {
  batch_size: [1, 500],
  failure_threshold_percent: [0, 100],
  deadline_minutes: [1, 1_440],
  wait_limit_hours: [1, 720],
} as const;
/** A robot needs at least this much battery to update. */
export const FIRMWARE_MIN_BATTERY_PERCENT = 50;

const intWithin = ([min, max]: readonly [number, number]) => z.int().min(min).max(max);

const rolloutParams = z.object({ rolloutId: idInputSchema });

export const rolloutList = defineRoute({
  summary: "Firmware rollouts, newest first, at most 100",
  method: "GET",
  path: "/api/firmware/rollouts",
  response: z.array(rolloutSchema),
});

export const createRollout = defineRoute({
  summary: "Deploy firmware to robots: one canary first, then in batches",
  method: "POST",
  path: "/api/firmware/rollouts",
  body: z.object({
    firmware_id: idInputSchema,
    robot_ids: z
      .array(idInputSchema, { error: "Choose at least one robot" })
      .min(1, "Choose at least one robot")
      .max(ROLLOUT_MAX_ROBOTS),
    batch_size: intWithin(ROLLOUT_RANGES.batch_size).default(ROLLOUT_BATCH_SIZE),
    failure_threshold_percent: intWithin(ROLLOUT_RANGES.failure_threshold_percent).default(
      ROLLOUT_FAILURE_THRESHOLD_PERCENT,
    ),
    deadline_minutes: intWithin(ROLLOUT_RANGES.deadline_minutes).default(ROLLOUT_DEADLINE_MINUTES),
    wait_limit_hours: intWithin(ROLLOUT_RANGES.wait_limit_hours).default(ROLLOUT_WAIT_LIMIT_HOURS),
  }),
  status: 201,
  response: z.object({ message: z.string(), rolloutId: idSchema }),
});

export const rolloutDetails = defineRoute({
  summary: "A rollout with each robot's progress",
  method: "GET",
  path: "/api/firmware/rollouts/:rolloutId",
  params: rolloutParams,
  response: rolloutSchema.extend({ robots: z.array(rolloutRobotSchema) }),
});

export const controlRollout = defineRoute({
  summary: "Pause, resume or cancel a rollout; robots that already have an offer finish it",
  method: "PUT",
  path: "/api/firmware/rollouts/:rolloutId",
  params: rolloutParams,
  body: z.object({ action: z.enum(["PAUSE", "RESUME", "CANCEL"]) }),
  response: z.object({ message: z.string() }),
});

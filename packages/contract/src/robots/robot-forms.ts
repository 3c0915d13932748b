import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { optionalText, requiredText } from "../http/text.ts";
import {
  dayInputSchema,
  idInputSchema,
  idSchema,
  percentInputSchema,
  serialSchema,
  versionSchema,
} from "../http/values.ts";
import { unlockedModeSchema } from "./robot-mode.ts";
import { robotStatusSchema } from "./robots.ts";

export const ROBOT_NAME_MAX = 80;
export const ROBOT_TYPE_MAX = 60;

/** §5 Robot form. */
const robotFields = {
  robot_name: requiredText("Robot name is required", ROBOT_NAME_MAX),
  serial_number: z
    .string({ error: "Serial number is required" })
    .trim()
    .min(1, "Serial number is required")
    .pipe(serialSchema),
  installation_date: dayInputSchema("Installation date"),
  motor_type: optionalText(ROBOT_TYPE_MAX),
  control_type: optionalText(ROBOT_TYPE_MAX),
};

export const robotBodySchema = z.object({ site_id: idInputSchema, ...robotFields });

/** The columns stored from the robot form. */
export const ROBOT_FIELDS = robotBodySchema.keyof().options;

export const createRobot = defineRoute({
  summary: "Create a robot at a site, with a free serial number",
  method: "POST",
  path: "/api/robots/create",
  body: robotBodySchema.extend({
    /** Shown until the robot reports its own. */
    battery_level: percentInputSchema.default(100),
    /** A new robot is unlocked: maintenance has a call of its own. */
    operating_mode: z
      .string()
      .transform((text) => text.toLowerCase())
      .pipe(z.enum(unlockedModeSchema.options, `must be ${unlockedModeSchema.options.join(" or ")}`))
      .default("auto"),
    status: robotStatusSchema.default("normal"),
    firmware_version: requiredText("Firmware version must not be blank", 40).default("1.0.0"),
  }),
  status: 201,
  response: z.object({ message: z.string(), robotId: idSchema }),
});

/** The most robots that can be created in one call. */
export const ROBOTS_AT_ONCE = 500;

/** What became of one robot of several: nothing of it is stored unless it is done. */
export const robotCreationSchema = z.object({
  serial_number: z.string(),
  /** Null if it was not created. */
  robot_id: idSchema.nullable(),
  /** Why it was not created, as a sentence; null if it was. */
  reason: z.string().nullable(),
});
export type RobotCreation = z.output<typeof robotCreationSchema>;

export const createRobots = defineRoute({
  summary: "Create several robots at a site, each named by its serial number; each is created or says why not",
  method: "POST",
  path: "/api/robots/create-many",
  body: z.object({
    site_id: idInputSchema,
    serial_numbers: z
      .array(serialSchema)
      .min(1, "Serial number is required")
      .max(ROBOTS_AT_ONCE, `must be at most ${ROBOTS_AT_ONCE}`),
    installation_date: robotFields.installation_date,
    motor_type: robotFields.motor_type,
    control_type: robotFields.control_type,
  }),
  response: z.object({ message: z.string(), robots: z.array(robotCreationSchema) }),
});

export const updateRobot = defineRoute({
  summary: "Change a robot; while it cleans or is in a group, its serial number and site are fixed",
  method: "PUT",
  path: "/api/robots/update/:id",
  params: z.object({ id: idInputSchema }),
  body: robotBodySchema.extend({ version: versionSchema.optional() }),
  response: z.object({ message: z.string() }),
});

export const deleteRobot = defineRoute({
  summary: "Delete a robot; its serial number becomes free and its history is retained",
  method: "DELETE",
  path: "/api/robots/delete/:id",
  params: z.object({ id: idInputSchema }),
  response: z.object({ message: z.string() }),
});

export const forgetRobotState = defineRoute({
  summary:
    "Discard a robot's reported state, so that its next session counts as its first; it must be stopped or locked",
  method: "POST",
  path: "/api/robots/forget-state/:id",
  params: z.object({ id: idInputSchema }),
  response: z.object({ message: z.string() }),
});

export const robotTypes = defineRoute({
  summary: "The motor types and control types in use at the user's sites, in alphabetical order",
  method: "GET",
  path: "/api/robots/types",
  response: z.object({ motor_types: z.array(z.string()), control_types: z.array(z.string()) }),
});

/** A device that can be assigned to a robot. */
export const serialNumberSchema = z.object({ serial_number: z.string(), assigned: z.boolean() });
export type SerialNumber = z.output<typeof serialNumberSchema>;

export const serialNumbers = defineRoute({
  summary: "The serial numbers the user may assign to robots, and whether each is already assigned",
  method: "GET",
  path: "/api/robots/serialNumbers",
  response: z.array(serialNumberSchema),
});

import { z } from "zod";
import { IMPORT_MAX_BODY_BYTES, importBodySchema, importResponseSchema } from "../http/import.ts";
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

/** What the form stores of a robot. */
export const ROBOT_FIELDS = robotBodySchema.keyof().options;

/** The columns of a file of robots, in the order of its export. */
export const ROBOT_COLUMNS = [
  /** The site's name. */
  "site",
  "serial_number",
  "robot_name",
  "motor_type",
  "control_type",
  "installation_date",
] as const;
/** Those that an import may leave out. */
export const ROBOT_OPTIONAL_COLUMNS = [
  "robot_name",
  "motor_type",
  "control_type",
] as const satisfies readonly (typeof ROBOT_COLUMNS)[number][];

export const createRobot = defineRoute({
  summary: "Put a robot with a free serial number at a site",
  method: "POST",
  path: "/api/robots/create",
  body: robotBodySchema.extend({
    /** Shown until the robot reports its own. */
    battery_level: percentInputSchema.default(100),
    /** A robot comes unlocked: maintenance has a call of its own. */
    operating_mode: z
      .string()
      .transform((text) => text.toLowerCase())
      .pipe(z.enum(["auto", "manual"], "must be auto or manual"))
      .default("auto"),
    status: robotStatusSchema.default("normal"),
    firmware_version: requiredText("Firmware version must not be blank", 40).default("1.0.0"),
  }),
  status: 201,
  response: z.object({ message: z.string(), robotId: idSchema }),
});

export const updateRobot = defineRoute({
  summary: "Change a robot; one that cleans or is in a group keeps its serial number and site",
  method: "PUT",
  path: "/api/robots/update/:id",
  params: z.object({ id: idInputSchema }),
  body: robotBodySchema.extend({ version: versionSchema.optional() }),
  response: z.object({ message: z.string() }),
});

export const deleteRobot = defineRoute({
  summary: "Remove a robot; its serial number is free again and its history stays",
  method: "DELETE",
  path: "/api/robots/delete/:id",
  params: z.object({ id: idInputSchema }),
  response: z.object({ message: z.string() }),
});

export const forgetRobotState = defineRoute({
  summary:
    "Forget what a robot told of itself, so that its next session is taken as the first; it must stand or be locked",
  method: "POST",
  path: "/api/robots/forget-state/:id",
  params: z.object({ id: idInputSchema }),
  response: z.object({ message: z.string() }),
});

/** One device that a robot can have. */
export const serialNumberSchema = z.object({ serial_number: z.string(), assigned: z.boolean() });
export type SerialNumber = z.output<typeof serialNumberSchema>;

export const serialNumbers = defineRoute({
  summary: "The serial numbers that the user may give to robots, and whether a robot has each",
  method: "GET",
  path: "/api/robots/serialNumbers",
  response: z.array(serialNumberSchema),
});

export const exportRobots = defineRoute({
  summary: "The robots of the sites the user may see, as a CSV file that can be imported again",
  method: "GET",
  path: "/api/robots/export",
  file: "text/csv",
  response: z.string(),
});

export const importRobots = defineRoute({
  summary: "Check a CSV file of new robots, or put them all at their sites",
  method: "POST",
  path: "/api/robots/import",
  body: importBodySchema,
  maxBodyBytes: IMPORT_MAX_BODY_BYTES,
  response: importResponseSchema,
});

import { z } from "zod";
import { IMPORT_MAX_BODY_BYTES, importBodySchema, importResponseSchema } from "../http/import.ts";
import { defineRoute } from "../http/route.ts";

/** The columns of a robots CSV file, in export order. */
export const ROBOT_COLUMNS = [
  /** The site's name. */
  "site",
  "serial_number",
  "robot_name",
  "motor_type",
  "control_type",
  "installation_date",
] as const;
/** Columns that an import may omit. */
export const ROBOT_OPTIONAL_COLUMNS = [
  "robot_name",
  "motor_type",
  "control_type",
] as const satisfies readonly (typeof ROBOT_COLUMNS)[number][];

export const exportRobots = defineRoute({
  summary: "The robots of the sites the user can see, as a CSV file that can be re-imported",
  method: "GET",
  path: "/api/robots/export",
  file: "text/csv",
  response: z.string(),
});

export const importRobots = defineRoute({
  summary: "Check a CSV file of new robots, or create them all",
  method: "POST",
  path: "/api/robots/import",
  body: importBodySchema,
  maxBodyBytes: IMPORT_MAX_BODY_BYTES,
  response: importResponseSchema,
});

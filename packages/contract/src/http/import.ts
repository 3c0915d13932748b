import { z } from "zod";
import { fieldErrorSchema } from "./error.ts";
import { dateSchema } from "./values.ts";

export const IMPORT_MAX_ROWS = 5_000;
export const IMPORT_MAX_BYTES = 2_097_152;
/** In JSON each quotation mark and line end takes two. */
export const IMPORT_MAX_BODY_BYTES = 2 * IMPORT_MAX_BYTES + 1_024;

/** A CSV file with a line of column names. */
export const importBodySchema = z.object({
  csv: z.string().min(1, "The file is empty").max(IMPORT_MAX_BYTES),
  /** False only checks. True creates every row, or none where one is wrong (400). */
  apply: z.boolean().default(false),
});

/** One line of the file below the names, as it was understood. */
export const importRowSchema = z.object({
  /** As a spreadsheet counts: the names stand in row 1. */
  row: z.int().min(2),
  /** What the row is about: a name or serial number; empty where it has none. */
  name: z.string(),
  /** The day it was commissioned or installed, as the cell was understood; null where it was not. */
  day: dateSchema.nullable(),
  /** What keeps the row out, by column; empty where nothing does. */
  problems: z.array(fieldErrorSchema),
});
export type ImportRow = z.output<typeof importRowSchema>;

export const importResponseSchema = z.object({
  message: z.string(),
  applied: z.boolean(),
  rows: z.array(importRowSchema),
  /** What is wrong with the file as a whole, such as a missing column. */
  problems: z.array(fieldErrorSchema),
});
export type ImportResponse = z.output<typeof importResponseSchema>;

import { z } from "zod";
import { fieldErrorSchema } from "./error.ts";
import { dateSchema } from "./values.ts";

export const IMPORT_MAX_ROWS = 5_000;
export const IMPORT_MAX_BYTES = 2_097_152;
/** JSON escaping doubles quotation marks and line ends. */
export const IMPORT_MAX_BODY_BYTES = 2 * IMPORT_MAX_BYTES + 1_024;

/** A CSV file with a header row. */
export const importBodySchema = z.object({
  csv: z.string().min(1, "The file is empty").max(IMPORT_MAX_BYTES),
  /** False: check only. True: create every row, or none if any is invalid (400). */
  apply: z.boolean().default(false),
});

/** One row below the header, as parsed. */
export const importRowSchema = z.object({
  /** Numbered as in a spreadsheet: the header is row 1. */
  row: z.int().min(2),
  /** The row's name or serial number; empty if it has none. */
  name: z.string(),
  /** The day of commissioning or installation, as parsed; null if the cell is not a date. */
  day: dateSchema.nullable(),
  /** Why the row cannot be imported, by column; empty if it can. */
  problems: z.array(fieldErrorSchema),
});
export type ImportRow = z.output<typeof importRowSchema>;

export const importResponseSchema = z.object({
  message: z.string(),
  applied: z.boolean(),
  rows: z.array(importRowSchema),
  /** Problems of the file itself, such as a missing column. */
  problems: z.array(fieldErrorSchema),
});
export type ImportResponse = z.output<typeof importResponseSchema>;

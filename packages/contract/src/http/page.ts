import { z } from "zod";
import { isWritable } from "./text.ts";
import { SEARCH_MAX } from "./values.ts";

/** Counting stops here unless an exact total is requested; the console shows "10,000+". */
export const COUNT_LIMIT = 10_000;

/** Search text of a list, case-insensitive. */
export const searchSchema = z
  .string()
  .trim()
  .min(1)
  .max(SEARCH_MAX)
  .refine(isWritable, "has characters that are in no text");

/** Page size; each call documents its default. */
export function limitSchema(max: number) {
  return z.coerce.number().pipe(z.int().min(1).max(max));
}

/** A boolean in a query string. */
export const booleanInputSchema = z.enum(["true", "false"]).transform((text) => text === "true");

/** The number of rows; with `total_exact` false there are at least `total`. */
export const totalFields = { total: z.int(), total_exact: z.boolean() };

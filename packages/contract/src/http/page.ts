import { z } from "zod";
import { isWritable } from "./text.ts";

/** Counting stops here unless the exact number is asked for: a console shows "10,000+". */
export const COUNT_LIMIT = 10_000;

/** Search words of a list, matched in any case. */
export const searchSchema = z.string().trim().min(1).max(100).refine(isWritable, "has characters that are in no text");

/** A size of one page; without it a call answers its documented number of the newest rows. */
export function limitSchema(max: number) {
  return z.coerce.number().pipe(z.int().min(1).max(max));
}

/** A choice in a query, where everything is text. */
export const booleanInputSchema = z.enum(["true", "false"]).transform((text) => text === "true");

/** How many rows there are; `total_exact` false where they are at least `total`. */
export const totalFields = { total: z.int(), total_exact: z.boolean() };

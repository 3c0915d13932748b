import { z } from "zod";

/**
 * What the wind and rain guard of a site says: within all limits; a limit is passed, or was a moment ago; or nobody knows,
 * and no robot starts either.
 */
export const guardVerdictSchema = z.enum(["CLEAR", "PASSED", "UNKNOWN"]);
export type GuardVerdict = z.output<typeof guardVerdictSchema>;

/** As the site's live data has it. */
export const guardStateSchema = z.object({
  verdict: guardVerdictSchema,
  /** Why no robot of the site starts; null where the weather is within the limits. Plain text. */
  text: z.string().nullable(),
});
export type GuardState = z.output<typeof guardStateSchema>;

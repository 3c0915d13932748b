import { z } from "zod";

/**
 * COMPLETED: planned time reached, or a run by hand ended by the robot or a person. STOPPED: a planned run ended early
 * by a person. CUT_SHORT: by fault, battery or lost link. FAILED, SKIPPED and MISSED never came about.
 */
export const runOutcomeSchema = z.enum(["COMPLETED", "STOPPED", "CUT_SHORT", "FAILED", "SKIPPED", "MISSED"]);
export type RunOutcome = z.output<typeof runOutcomeSchema>;

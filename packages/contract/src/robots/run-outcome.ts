import { z } from "zod";

/**
 * COMPLETED: planned time reached, finished by the robot, or a run by hand that a person ended after a minute or more.
 * STOPPED: ended sooner by a person. CUT_SHORT: by fault, battery or lost link. FAILED, SKIPPED and MISSED never came
 * about.
 */
export const runOutcomeSchema = z.enum(["COMPLETED", "STOPPED", "CUT_SHORT", "FAILED", "SKIPPED", "MISSED"]);
export type RunOutcome = z.output<typeof runOutcomeSchema>;

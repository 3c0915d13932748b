import { z } from "zod";

/**
 * COMPLETED: planned time reached, finished by the robot, or a manual run ended by a person after a minute or more.
 * STOPPED: ended earlier by a person. CUT_SHORT: by fault, battery or lost link. FAILED, SKIPPED and MISSED runs never
 * began.
 */
export const runOutcomeSchema = z.enum(["COMPLETED", "STOPPED", "CUT_SHORT", "FAILED", "SKIPPED", "MISSED"]);
export type RunOutcome = z.output<typeof runOutcomeSchema>;

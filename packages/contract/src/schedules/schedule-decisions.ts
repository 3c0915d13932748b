import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { idInputSchema, idSchema, instantSchema } from "../http/values.ts";
import { decisionSchema } from "./schedules.ts";

/** This many are answered, the newest. */
export const DECISIONS_LIMIT = 60;

export const scheduleDecisions = defineRoute({
  summary: `What was decided for the site's schedules "when worth it" and why, newest first, at most ${DECISIONS_LIMIT}`,
  method: "GET",
  path: "/api/robots/group/scheduleDecisions/:siteId",
  params: z.object({ siteId: idInputSchema }),
  query: z.object({ group_id: idInputSchema.optional() }),
  response: z.object({
    decisions: z.array(
      decisionSchema.extend({
        id: idSchema,
        schedule_id: idSchema,
        group_id: idSchema,
        group_name: z.string(),
        due_at: instantSchema,
        /** The schedule was changed or deleted before its time, so that it does not count. */
        is_void: z.boolean(),
      }),
    ),
  }),
});
export type ScheduleDecision = z.output<typeof scheduleDecisions.response>["decisions"][number];

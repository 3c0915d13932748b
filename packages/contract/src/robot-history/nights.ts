import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { dateSchema, idInputSchema, idSchema, instantSchema } from "../http/values.ts";
import { runOutcomeSchema } from "../robots/run-outcome.ts";

/** RUNNING: in progress; NONE: no run. */
export const nightStateSchema = z.enum([...runOutcomeSchema.options, "RUNNING", "NONE"]);
export type NightState = z.output<typeof nightStateSchema>;

/** A night of a robot, noon to noon of its site's time: its best run. */
export const nightSchema = z.object({
  /** The date of its evening. */
  date: dateSchema,
  state: nightStateSchema,
  /** Plain text: why it is not done. */
  reason: z.string().nullable(),
  /** When that run was due or began. */
  run_at: instantSchema.nullable(),
});
export type Night = z.output<typeof nightSchema>;

export const robotNights = defineRoute({
  summary: "The last 30 nights of a robot, this one last: done, or why not",
  method: "GET",
  path: "/api/robots/nights/:robotId",
  params: z.object({ robotId: idInputSchema }),
  response: z.object({ timezone: z.string(), nights: z.array(nightSchema) }),
});

export const siteNights = defineRoute({
  summary: "The last 7 nights of each robot of a site",
  method: "GET",
  path: "/api/robots/nights/site/:siteId",
  params: z.object({ siteId: idInputSchema }),
  response: z.object({
    timezone: z.string(),
    /** Their evenings, this night last. */
    dates: z.array(dateSchema),
    /** Robots with a run in any of them. */
    robots: z.array(
      z.object({
        robot_id: idSchema,
        /** One for each date. */
        states: z.array(nightStateSchema),
        /** Why the newest night with a run is not done, if it is this one or the last. */
        reason: z.string().nullable(),
        /** When that run was due or began; null if that night is done, or neither has a run. */
        run_at: instantSchema.nullable(),
      }),
    ),
  }),
});
export type SiteNights = z.output<typeof siteNights.response>;

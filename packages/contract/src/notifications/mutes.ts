import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { requiredText } from "../http/text.ts";
import { idInputSchema, idSchema, instantInputSchema, instantSchema } from "../http/values.ts";

export const MUTE_REASON_MAX = 200;
export const MUTE_MAX_DAYS = 90;

export const muteSchema = z.object({
  id: idSchema,
  site_id: idSchema,
  site_name: z.string(),
  /** IANA zone of the site, in which people read `until`. */
  timezone: z.string(),
  /** Null for the whole site. */
  robot_id: idSchema.nullable(),
  robot_name: z.string().nullable(),
  serial_number: z.string().nullable(),
  until: instantSchema,
  reason: z.string(),
  muted_by: z.string(),
  muted_at: instantSchema,
});
export type Mute = z.output<typeof muteSchema>;

export const muteList = defineRoute({
  summary: "What is muted now: nobody is told of its alerts",
  method: "GET",
  path: "/api/notifications/mutes",
  query: z.object({ site_id: idInputSchema.optional() }),
  response: z.array(muteSchema),
});

export const createMute = defineRoute({
  summary: `Mute a site or one of its robots until a time, at most ${MUTE_MAX_DAYS} days ahead; replaces a mute of the same`,
  method: "POST",
  path: "/api/notifications/mutes",
  body: z.object({
    site_id: idInputSchema,
    robot_id: idInputSchema.optional(),
    until: instantInputSchema,
    reason: requiredText("Reason is required", MUTE_REASON_MAX),
  }),
  status: 201,
  response: z.object({ message: z.string(), muteId: idSchema }),
});

export const endMute = defineRoute({
  summary: "End a mute: open alerts of it are told from now on",
  method: "DELETE",
  path: "/api/notifications/mutes/:muteId",
  params: z.object({ muteId: idInputSchema }),
  response: z.object({ message: z.string() }),
});

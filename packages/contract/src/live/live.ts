import { z } from "zod";
import { activityEntrySchema } from "../activity/activity.ts";
import { defineRoute } from "../http/route.ts";
import { idSchema, instantSchema } from "../http/values.ts";
import { robotLiveSchema } from "../robots/robots.ts";
import { siteSchema } from "../sites/sites.ts";
import { liveReachedSchema } from "../http/live-position.ts";

/** Interval of heartbeat comments while nothing else is sent. */
export const LIVE_HEARTBEAT_MS = 15_000;

/**
 * One event of the live stream: its `data` line. `snapshot` comes first with every robot in the user's scope; `update`
 * carries only what changed since.
 */
export const liveEventSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("snapshot"),
    at: instantSchema,
    /** How far this stream has come. Servers of older versions omit it. */
    reached: liveReachedSchema.optional(),
    robots: z.array(robotLiveSchema),
    sites: z.array(siteSchema),
  }),
  z.object({
    type: z.literal("update"),
    at: instantSchema,
    /** How far this stream has come, in what the user may see. Servers of older versions omit it. */
    reached: liveReachedSchema.optional(),
    robots: z.array(robotLiveSchema),
    sites: z.array(siteSchema),
    activity: z.array(activityEntrySchema),
    /** Sites whose groups or schedules changed; clients showing them refetch. */
    groups_changed: z.array(idSchema),
    /** Sites whose runs changed. */
    runs_changed: z.array(idSchema),
    /** Firmware rollouts that changed; none for a PARTNER. */
    rollouts_changed: z.array(idSchema),
    /** Sites whose alerts, or those of their robots, changed. */
    alerts_changed: z.array(idSchema),
    /** Changed alerts about Suncrew's own servers; none for a PARTNER. Servers of older versions omit it. */
    server_alerts_changed: z.array(z.string()).optional(),
    /**
     * Sites of which something on the attention list was acknowledged, or no longer is; of alerts, `alerts_changed` says
     * so. Servers of older versions omit it.
     */
    attention_changed: z.array(idSchema).optional(),
    /** Sites that were muted, or are no longer, or whose robots are. Servers of older versions omit it. */
    mutes_changed: z.array(idSchema).optional(),
  }),
  /** The stream ends: the session is over, the user's scope has changed, or the server shuts down (reconnect). */
  z.object({ type: z.literal("end"), reason: z.enum(["session", "scope", "shutdown"]) }),
]);
export type LiveEvent = z.output<typeof liveEventSchema>;

export const live = defineRoute({
  summary: "Server-sent events: status, battery, alerts and activity as they change",
  method: "GET",
  path: "/api/live",
  response: liveEventSchema,
  stream: true,
});

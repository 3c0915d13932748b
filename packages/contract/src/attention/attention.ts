import { z } from "zod";
import { severitySchema } from "../alerts/severity.ts";
import { defineRoute } from "../http/route.ts";
import { optionalText } from "../http/text.ts";
import { dateSchema, idSchema, instantSchema } from "../http/values.ts";

export const attentionKindSchema = z.enum([
  /** Robots that lost contact while moving and may be moving still (protocol rule 13). */
  "MAY_BE_MOVING",
  /** A critical alert of a robot, a site or Suncrew's own servers, or one about the weather limits or soiling of a site. */
  "ALERT",
  /** Runs since last evening that failed, were skipped, missed or cut short, by robots that have not cleaned since. */
  "RUNS",
  /** A battery that will not last the robot's next planned run. */
  "BATTERY",
  /** A robot that has been in maintenance for long. */
  "MAINTENANCE",
]);
export type AttentionKind = z.output<typeof attentionKindSchema>;

export const ATTENTION_LIMIT = 100;
/** An item names at most this many robots. */
export const ATTENTION_ROBOTS_LIMIT = 500;
export const ACKNOWLEDGEMENT_COMMENT_MAX = 500;

/** Something that needs a person: one item for all robots of a site with the same cause. */
export const attentionItemSchema = z.object({
  /** Stays the same while it lasts; the same trouble later has another one. For an alert it is the alert's id. */
  key: z.string(),
  kind: attentionKindSchema,
  /** Of an alert its code, which does not change with its words; otherwise null. */
  code: z.string().nullable(),
  severity: severitySchema,
  /** Null for an alert about Suncrew's own servers. */
  site_id: idSchema.nullable(),
  site_name: z.string().nullable(),
  /** None if it is about a whole site, or about Suncrew's own servers. */
  robots: z.array(z.object({ robot_id: idSchema, serial_number: z.string() })).max(ATTENTION_ROBOTS_LIMIT),
  robot_count: z.int().min(0),
  /** Since when it is so; null for what is still to come. */
  since: instantSchema.nullable(),
  /** When the run is due that the battery will not last. */
  due_at: instantSchema.nullable(),
  /** Plain text: what is wrong. */
  cause: z.string(),
  /** Plain text: what to do about it. */
  suggestion: z.string(),
  /** A Stop makes sense: these robots move, or may. */
  can_stop: z.boolean(),
  /** For how long the robots were to clean, in minutes; null unless they can be started again for that. */
  retry_minutes: z.int().min(1).nullable(),
  /** Of runs: their day by the site's calendar. */
  day: dateSchema.nullable(),
  acknowledged_at: instantSchema.nullable(),
  acknowledged_by: z.string().nullable(),
  /** What that person wrote about it; null if nothing. */
  comment: z.string().nullable(),
});
export type AttentionItem = z.output<typeof attentionItemSchema>;

export const attentionList = defineRoute({
  summary: `What needs a person at all sites the user can see, the worst first and what was acknowledged last, at most ${ATTENTION_LIMIT}`,
  method: "GET",
  path: "/api/attention",
  response: z.object({
    items: z.array(attentionItemSchema).max(ATTENTION_LIMIT),
    /** Numbers of all items that nobody has acknowledged, by severity. */
    open: z.object({ CRITICAL: z.int(), WARNING: z.int(), INFO: z.int() }),
    acknowledged: z.int(),
  }),
});

/** The key of an item. */
const itemParams = z.object({
  itemId: z.string().regex(/^(\d{1,18}|[a-z]+(-[\da-z]+){1,8})$/, "is not the key of an item"),
});

export const acknowledgeAttention = defineRoute({
  summary: "Acknowledge an item of the attention list: somebody is dealing with it",
  method: "PUT",
  path: "/api/attention/acknowledge/:itemId",
  params: itemParams,
  body: z.object({ comment: optionalText(ACKNOWLEDGEMENT_COMMENT_MAX) }),
  response: z.object({ message: z.string() }),
});

export const undoAcknowledgement = defineRoute({
  summary: "Take back the acknowledgement of an item of the attention list",
  method: "DELETE",
  path: "/api/attention/acknowledge/:itemId",
  params: itemParams,
  response: z.object({ message: z.string() }),
});

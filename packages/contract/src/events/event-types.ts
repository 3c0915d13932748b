import { z } from "zod";
import { severitySchema } from "../alerts/severity.ts";
import { alertSourceSchema } from "../alerts/alerts.ts";
import { actionTypeSchema } from "../activity/activity.ts";
import { ackMessageSchema, commandVerbs } from "../devices/messages.ts";
import { idSchema, instantSchema } from "../http/values.ts";
import { runOutcomeSchema } from "../robots/run-outcome.ts";

/** What webhooks are told, in the order in which people choose. */
export const eventTypeSchema = z.enum([
  "alert.raised",
  "alert.acknowledged",
  "alert.cleared",
  "run.planned",
  "run.started",
  "run.ended",
  "run.skipped",
  "run.missed",
  "command.settled",
  "robot.online",
  "robot.offline",
  "firmware.updated",
  "maintenance.on",
  "maintenance.off",
]);
export type EventType = z.output<typeof eventTypeSchema>;

/** Type of what "Send test event" sends; it is no event. */
export const TEST_EVENT_TYPE = "webhook.test";

const siteSchema = z.object({ id: idSchema, name: z.string() }).meta({ description: "Where it happened" });
const robotSchema = z
  .object({ id: idSchema, name: z.string(), serial_number: z.string() })
  .meta({ description: "The robot, with its name and serial number of that time" });

const codeSchema = z.string().nullable().meta({ description: "Why, as a code for programs" });
const reasonSchema = z.string().nullable().meta({ description: "Why, in a sentence for people" });

const alertDataSchema = z.object({
  site: siteSchema.nullable().meta({ description: "Null if it is about Suncrew's own servers" }),
  robot: robotSchema.nullable().meta({ description: "Null if it is about a whole site or Suncrew's own servers" }),
  alert: z.object({
    id: z.string().meta({ description: "The same in each event about this alert" }),
    severity: severitySchema,
    source: alertSourceSchema,
    code: z.string(),
    text: z.string(),
    raised_at: instantSchema,
    acknowledged_at: instantSchema.nullable(),
    acknowledged_by: z.string().nullable(),
    comment: z.string().nullable(),
    cleared_at: instantSchema.nullable(),
  }),
});

const ofRobot = { site: siteSchema, robot: robotSchema };

const runDataSchema = z.object({
  ...ofRobot,
  run: z.object({
    id: z.uuid().meta({ description: "The same in each event about this run" }),
    planned: z.boolean().meta({ description: "Whether a schedule planned it" }),
    action_type: actionTypeSchema,
    started_by: z.string(),
    group_name: z.string().nullable(),
    due_at: instantSchema.nullable(),
    planned_end_at: instantSchema.nullable(),
    began_at: instantSchema.nullable(),
    ended_at: instantSchema.nullable(),
    outcome: runOutcomeSchema.nullable().meta({ description: "Null while it is planned or in progress" }),
    reason_code: codeSchema,
    reason: reasonSchema,
    battery_began: z.number().nullable(),
    battery_ended: z.number().nullable(),
  }),
});

export const commandOutcomeSchema = z.enum(["CONFIRMED", "REJECTED", "UNCONFIRMED", "NEVER_SENT"]);
export type CommandOutcome = z.output<typeof commandOutcomeSchema>;

const commandDataSchema = z.object({
  ...ofRobot,
  command: z.object({
    id: z.uuid(),
    verb: z.enum(commandVerbs),
    action_type: actionTypeSchema,
    requested_by: z.string(),
    run_id: z.uuid().nullable().meta({ description: "Of a START: the run that it was to begin" }),
    issued_at: instantSchema,
    settled_at: instantSchema,
    outcome: commandOutcomeSchema.meta({
      description: "CONFIRMED by the robot's state, REJECTED by the robot, UNCONFIRMED in time, or NEVER_SENT",
    }),
    ack: ackMessageSchema.shape.status.nullable(),
    code: z.string().nullable().meta({ description: "Why the robot rejected it" }),
    text: z.string().meta({ description: "What became of it, in a sentence for people" }),
  }),
});

const presenceDataSchema = z.object({
  ...ofRobot,
  connection: z.object({
    online: z.boolean(),
    last_seen_at: instantSchema.nullable().meta({ description: "When Suncrew last heard from the robot" }),
  }),
});

const firmwareDataSchema = z.object({
  ...ofRobot,
  firmware: z.object({
    rollout_id: idSchema,
    version: z.string(),
    from_version: z.string().nullable(),
    outcome: z.enum(["DONE", "FAILED", "SKIPPED"]),
    reason_code: codeSchema,
    reason: reasonSchema,
  }),
});

const maintenanceDataSchema = z.object({
  ...ofRobot,
  lock: z.object({
    id: z.string().meta({ description: "The same in both events about this lock" }),
    reason: z.string(),
    locked_by: z.string(),
    locked_at: instantSchema,
    released_by: z.string().nullable(),
    released_at: instantSchema.nullable(),
  }),
});

function eventSchema<Type extends EventType, Data extends z.ZodObject>(type: Type, data: Data) {
  return z.object({
    type: z.literal(type),
    timestamp: instantSchema.meta({ description: "When it happened" }),
    data,
  });
}

/** The body of a webhook's call, for each type of event. */
export const eventSchemas = {
  "alert.raised": eventSchema("alert.raised", alertDataSchema),
  "alert.acknowledged": eventSchema("alert.acknowledged", alertDataSchema),
  "alert.cleared": eventSchema("alert.cleared", alertDataSchema),
  "run.planned": eventSchema("run.planned", runDataSchema),
  "run.started": eventSchema("run.started", runDataSchema),
  "run.ended": eventSchema("run.ended", runDataSchema),
  "run.skipped": eventSchema("run.skipped", runDataSchema),
  "run.missed": eventSchema("run.missed", runDataSchema),
  "command.settled": eventSchema("command.settled", commandDataSchema),
  "robot.online": eventSchema("robot.online", presenceDataSchema),
  "robot.offline": eventSchema("robot.offline", presenceDataSchema),
  "firmware.updated": eventSchema("firmware.updated", firmwareDataSchema),
  "maintenance.on": eventSchema("maintenance.on", maintenanceDataSchema),
  "maintenance.off": eventSchema("maintenance.off", maintenanceDataSchema),
} as const satisfies Readonly<Record<EventType, z.ZodType>>;
export type SentEvent = z.output<(typeof eventSchemas)[EventType]>;

/** What each type of event says, for people. */
export const eventTexts: Readonly<Record<EventType, { readonly title: string; readonly summary: string }>> = {
  "alert.raised": {
    title: "Alert raised",
    summary: "A robot, a site or Suncrew itself has a problem; again, with the same id, when its severity changes.",
  },
  "alert.acknowledged": { title: "Alert acknowledged", summary: "Somebody takes care of an alert." },
  "alert.cleared": { title: "Alert cleared", summary: "The problem is over." },
  "run.planned": { title: "Run planned", summary: "A planned run is due now, and its robot is about to be started." },
  "run.started": {
    title: "Run started",
    summary: "A robot was seen to move; again if a run goes on that seemed to have ended.",
  },
  "run.ended": {
    title: "Run ended",
    summary: "A run is over, or never began because its start failed; again if its robot reports later how it ended.",
  },
  "run.skipped": {
    title: "Run skipped",
    summary: "A run did not take place, for a reason such as rain or maintenance.",
  },
  "run.missed": { title: "Run missed", summary: "A planned run fell due while Suncrew could not start it." },
  "command.settled": {
    title: "Command settled",
    summary: "What became of a command; again if its robot showed later that it had worked.",
  },
  "robot.online": { title: "Robot online", summary: "A robot is connected." },
  "robot.offline": {
    title: "Robot offline",
    summary: "A robot has lost its connection, was switched off, or is silent.",
  },
  "firmware.updated": {
    title: "Firmware update ended",
    summary: "An update of a robot worked, failed or was skipped.",
  },
  "maintenance.on": { title: "Maintenance began", summary: "A robot was locked for maintenance." },
  "maintenance.off": { title: "Maintenance ended", summary: "A robot showed that it was released." },
};

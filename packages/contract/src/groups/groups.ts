import { SITE_PLACE_MAX } from "../sites/sites.ts";
import { z } from "zod";
import { commandVerbSchema } from "../commands/commands.ts";
import { commandModeSchema } from "../robots/robot-mode.ts";
import { defineRoute } from "../http/route.ts";
import { typedText } from "../http/text.ts";
import { idInputSchema, idSchema, instantSchema, versionSchema } from "../http/values.ts";
import { livePositionSchema } from "../http/live-position.ts";
import { frequencySchema, scheduleSchema } from "../schedules/schedules.ts";

/** §3 Robot group, server shape. */
export const groupSchema = z.object({
  id: idSchema,
  group_name: z.string(),
  site_id: idSchema,
  robots: z.array(z.object({ id: idSchema })),
  created_at: instantSchema,
  /** Its schedule's frequency. */
  schedule_type: frequencySchema.nullable(),
  schedule_details: scheduleSchema.nullable(),
  version: versionSchema,
});
export type Group = z.output<typeof groupSchema>;

/** §5 Robot group: the error for a blank name or no robots. */
export const GROUP_INCOMPLETE = "Please enter a valid group name and select at least one robot.";
export const GROUP_NAME_MAX = 80;
export const GROUP_ROBOTS_MAX = 500;

const groupBody = z.object({
  site_id: idInputSchema,
  group_name: typedText(z.string()).min(1, GROUP_INCOMPLETE).max(GROUP_NAME_MAX),
  robot_ids: z
    .array(idInputSchema)
    .min(1, GROUP_INCOMPLETE)
    .max(GROUP_ROBOTS_MAX)
    .refine((ids) => new Set(ids).size === ids.length, "names a robot twice"),
});

export const groupList = defineRoute({
  summary: "The robot groups of a site",
  method: "GET",
  path: "/api/robots/group/robotSiteGroupList/:siteId",
  params: z.object({ siteId: idInputSchema }),
  response: z.array(groupSchema),
});

export const createGroup = defineRoute({
  summary: "Create a group of robots that are in no other group",
  method: "POST",
  path: "/api/robots/group/create",
  body: groupBody,
  status: 201,
  response: z.object({ message: z.literal("Group created successfully"), groupId: idSchema }),
});

export const updateGroup = defineRoute({
  summary: "Change a group's name and robots",
  method: "PUT",
  path: "/api/robots/group/update/:groupId",
  params: z.object({ groupId: idInputSchema }),
  body: groupBody.extend({ version: versionSchema.optional() }),
  response: z.object({ message: z.literal("Group updated successfully") }),
});

export const deleteGroup = defineRoute({
  summary: "Delete a group and its schedule; its robots stay",
  method: "DELETE",
  path: "/api/robots/group/delete/:groupId",
  params: z.object({ groupId: idInputSchema }),
  response: z.object({ message: z.string() }),
});

export const robotOutcomeSchema = z.enum(["SUCCESS", "FAILED", "SKIPPED"]);
export type RobotOutcome = z.output<typeof robotOutcomeSchema>;

/** The outcome for one robot of a bulk command. */
export const robotResultSchema = z.object({
  /** The serial number. */
  robotId: z.string(),
  robotObjectId: idSchema,
  outcome: robotOutcomeSchema,
  /** Plain text: what the robot confirmed, or why it failed. */
  message: z.string(),
  /** True for a STOP or lock that is stored and retried until the robot confirms it. */
  pending: z.boolean(),
  /** Of a STOP: false if the robot was last seen stopped and no start was in progress. */
  was_moving: z.boolean().optional(),
  /** From where on the live stream shows what the robot confirmed. */
  live_position: livePositionSchema.optional(),
});
export type RobotResult = z.output<typeof robotResultSchema>;

/** The response of every bulk command; `success` if every robot succeeded. */
export const manyRobotsResponseSchema = z.object({
  success: z.boolean(),
  message: z.string(),
  results: z.array(robotResultSchema),
});
export type ManyRobotsResponse = z.output<typeof manyRobotsResponseSchema>;

export const groupSendCommand = defineRoute({
  summary: "Start or stop every robot of a group at once",
  method: "POST",
  path: "/api/mqtt/group/send_command",
  device: true,
  anyHost: true,
  body: z.object({
    siteId: idInputSchema,
    groupId: idInputSchema,
    command: commandVerbSchema,
    mode: commandModeSchema.default("AUTO"),
    /** Only these members, for retrying those that failed; default: all. */
    robotObjectIds: z.array(idInputSchema).min(1).max(GROUP_ROBOTS_MAX).optional(),
  }),
  response: manyRobotsResponseSchema,
});

export const siteStop = defineRoute({
  summary: "Stop every robot of a site at once; for offline robots the Stop is stored and retried",
  method: "POST",
  path: "/api/mqtt/site/stop",
  device: true,
  anyHost: true,
  body: z.object({ siteId: idInputSchema }),
  response: manyRobotsResponseSchema,
});

export const ROBOTS_PER_COMMAND_MAX = 500;
/** The longest run that a Start may be given, in minutes. */
export const DURATION_MAX_MINUTES = 480;

export const robotsSendCommand = defineRoute({
  summary: "Start or stop robots at any of the user's sites at once",
  method: "POST",
  path: "/api/mqtt/robots/send_command",
  device: true,
  anyHost: true,
  body: z
    .object({
      command: commandVerbSchema,
      mode: commandModeSchema.default("AUTO"),
      robotObjectIds: z.array(idInputSchema).min(1).max(ROBOTS_PER_COMMAND_MAX),
      /** Of a START: when the run ends, in minutes; default: the limit of a manual run. */
      duration_minutes: z.int().min(1).max(DURATION_MAX_MINUTES).optional(),
    })
    .refine(({ command, duration_minutes }) => command === "START" || duration_minutes === undefined, {
      path: ["duration_minutes"],
      error: "is only for a START",
    }),
  response: manyRobotsResponseSchema,
});

/** So that the body of a Stop stays small; more robots are stopped by several calls. */
export const ROBOTS_PER_FLEET_STOP_MAX = 5_000;

/** The outcome of a fleet stop at one site. */
export const siteStopResultSchema = z.object({
  siteId: idSchema,
  name: z.string(),
  /** How many were to stop. */
  robots: z.int(),
  /** Seen to stand. */
  stopped: z.int(),
  /** Those of `stopped` that moved when the Stop was pressed. */
  moved: z.int(),
  /** Sent without the database, or stored and repeated until the robot confirms it. */
  pending: z.int(),
  /** Neither stopped nor pending. */
  failed: z.int(),
  /** Each robot that did not confirm or was not reached, with the reason. */
  results: z.array(robotResultSchema),
});
export type SiteStopResult = z.output<typeof siteStopResultSchema>;

export const fleetStop = defineRoute({
  summary: "Stop every robot of the user at once, or those of one state, one partner or a list",
  method: "POST",
  path: "/api/mqtt/fleet/stop",
  device: true,
  anyHost: true,
  body: z.object({
    /** Only at sites of this state. */
    state: typedText(z.string()).max(SITE_PLACE_MAX).optional(),
    /** Only at sites that this partner maintains. */
    partnerId: idInputSchema.optional(),
    robotObjectIds: z.array(idInputSchema).min(1).max(ROBOTS_PER_FLEET_STOP_MAX).optional(),
  }),
  /** `success` if every robot is seen to stand or was sent the Stop. */
  response: z.object({ success: z.boolean(), message: z.string(), sites: z.array(siteStopResultSchema) }),
});
export type FleetStopBody = z.output<typeof fleetStop.body>;
export type FleetStopResponse = z.output<typeof fleetStop.response>;

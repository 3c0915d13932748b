import { z } from "zod";
import { defineRoute } from "../http/route.ts";
import { livePositionSchema } from "../http/live-position.ts";
import { idInputSchema, instantSchema, percentInputSchema, serialSchema } from "../http/values.ts";
import { commandModeSchema } from "../robots/robot-mode.ts";
import { motionSchema, robotStatusSchema } from "../robots/robots.ts";

export const travelDirectionSchema = z.enum(["FWD", "REV"]);
/** Direction of travel in command parameters and the device protocol. */
export type TravelDirection = z.output<typeof travelDirectionSchema>;

export const commandVerbSchema = z.enum(["START", "STOP"]);
export type StartOrStop = z.output<typeof commandVerbSchema>;

export const sendCommand = defineRoute({
  summary: "Start or stop one robot; responds once the robot has confirmed it or failed to",
  method: "POST",
  path: "/api/mqtt/robot/send_command",
  device: true,
  anyHost: true,
  body: z.object({
    /** The serial number. */
    robotId: serialSchema,
    robotObjectId: idInputSchema,
    siteId: idInputSchema,
    command: commandVerbSchema,
    mode: commandModeSchema.default("AUTO"),
    params: z
      .object({
        status: z.string().max(20),
        direction: travelDirectionSchema,
        "main-speed": percentInputSchema,
        "brush-speed": percentInputSchema,
      })
      .partial()
      .default({}),
  }),
  response: z.object({
    success: z.literal(true),
    message: z.string(),
    command_id: z.uuid(),
    /** True for a STOP sent while the database is down: neither recorded nor confirmed by the robot yet. */
    pending: z.boolean().optional(),
    /** From where on the live stream shows the result. */
    live_position: livePositionSchema.optional(),
  }),
});

export const robotStatus = defineRoute({
  summary: "Request a robot's current state; waits at most 10 s",
  method: "GET",
  path: "/api/mqtt/robot/getRobotStatus",
  device: true,
  query: z.object({ robotId: serialSchema }),
  response: z.object({
    success: z.literal(true),
    data: z.object({
      /** The device's own text (start, stop, ...), which the console maps. */
      status: z.string(),
      /** The mapped value. */
      robot_status: robotStatusSchema,
      battery: z.number(),
      timestamp: instantSchema,
      motion: motionSchema,
      direction: travelDirectionSchema,
    }),
    /** From where on the live stream shows this state. */
    live_position: livePositionSchema.optional(),
  }),
});

import { z } from "zod";
import { GROUP_ROBOTS_MAX, manyRobotsResponseSchema } from "../groups/groups.ts";
import { defineRoute } from "../http/route.ts";
import { typedText } from "../http/text.ts";
import { idInputSchema } from "../http/values.ts";

export const MAINTENANCE_REASON_MAX = 300;

const maintenanceFields = z.object({
  enabled: z.boolean(),
  /** Required to lock. */
  reason: typedText(z.string(), "several lines").max(MAINTENANCE_REASON_MAX).default(""),
  /** On release: start the robot once it has confirmed. */
  start_after: z.boolean().default(false),
});

function maintenanceBodyOf<S extends typeof maintenanceFields>(fields: S) {
  return fields
    .refine((body) => !body.enabled || body.reason !== "", {
      message: "Please say why the robot is put in maintenance.",
      path: ["reason"],
    })
    .refine((body) => !body.enabled || !body.start_after, {
      message: "A robot can be started on release only.",
      path: ["start_after"],
    });
}

const maintenanceBody = maintenanceBodyOf(maintenanceFields);

export const robotMaintenance = defineRoute({
  summary: "Lock a robot for maintenance, or release it; the response says whether the robot confirmed it",
  method: "PUT",
  path: "/api/robots/maintenance/:robotId",
  device: true,
  // A lock stops its robot.
  anyHost: true,
  params: z.object({ robotId: idInputSchema }),
  body: maintenanceBody,
  response: z.object({
    success: z.literal(true),
    message: z.string(),
    /** False for a lock that is stored and retried until the robot confirms it. */
    confirmed: z.boolean(),
    /** The outcome of the requested start; null if none was requested. */
    start: z.object({ success: z.boolean(), message: z.string() }).nullable(),
  }),
});

export const groupMaintenance = defineRoute({
  summary: "Lock or release every robot of a group",
  method: "PUT",
  path: "/api/robots/group/maintenance/:groupId",
  device: true,
  // A lock stops its robot.
  anyHost: true,
  params: z.object({ groupId: idInputSchema }),
  body: maintenanceBody,
  response: manyRobotsResponseSchema,
});

export const robotsMaintenance = defineRoute({
  summary: "Lock robots of any sites for maintenance, or release them without starting them",
  method: "PUT",
  path: "/api/robots/maintenance",
  device: true,
  // A lock stops its robot.
  anyHost: true,
  body: maintenanceBodyOf(
    maintenanceFields.extend({ robotObjectIds: z.array(idInputSchema).min(1).max(GROUP_ROBOTS_MAX) }),
  ).refine((body) => !body.start_after, {
    // Many sites are released one after another: somebody's Stop in between would be older than such a start.
    message: "Robots of several sites are released without starting them.",
    path: ["start_after"],
  }),
  response: manyRobotsResponseSchema,
});

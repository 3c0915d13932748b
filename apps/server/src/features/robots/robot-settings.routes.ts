import { updateRobotSettings } from "@suncrew/contract/robots/robots.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Commands } from "../commands/public.ts";

/** Direction and speeds: sent to the robot, and stored once it shows them. */
export function robotSettingsRoutes(app: FastifyInstance, commands: Commands): void {
  register(app, updateRobotSettings, async ({ viewer, params, body }) => {
    const { success, message } = await commands.sendSettings(viewer, params.robotId, body);
    return { success, message };
  });
}

import {
  createRobot,
  createRobots,
  deleteRobot,
  forgetRobotState,
  robotTypes,
  serialNumbers,
  updateRobot,
} from "@suncrew/contract/robots/robot-forms.ts";
import { exportRobots, importRobots } from "@suncrew/contract/robots/robot-files.ts";
import {
  robotDetailsWithSettings,
  robotDirectory,
  robotsList,
  updateRobotSettings,
} from "@suncrew/contract/robots/robots.ts";
import type { FastifyInstance } from "fastify";
import type { Dependencies } from "../../platform/dependencies.ts";
import { register, SerializedAnswer, serializeAnswer, versionOf } from "../../platform/http/register.ts";
import type { Viewer } from "../../platform/sessions.ts";
import type { Workers } from "../../platform/workers/workers.ts";
import type { Commands } from "../commands/public.ts";
import { requireSite, seenAt } from "../sites/public.ts";
import { readRobotDirectory, readRobots, readRobotTypes, readSerialNumbers } from "./robots.queries.ts";
import { Robots } from "./robots.service.ts";

/** §7 Robots: what they show, their forms, files, serial numbers and settings. */
export function robotsRoutes(app: FastifyInstance, deps: Dependencies, workers: Workers, commands: Commands): void {
  const robots = new Robots(deps, workers);
  const readSite = async (viewer: Viewer, siteId: number) => {
    await requireSite(viewer, deps.db, siteId);
    return readRobots(viewer, deps.db, seenAt(deps), { siteId });
  };

  register(app, robotDetailsWithSettings, async ({ viewer, params }) => ({
    robots: await readSite(viewer, params.siteId),
  }));
  register(app, robotsList, async ({ viewer, params }) => {
    const rows = await readSite(viewer, params.siteId);
    return rows.map(({ robot_id, ...robot }) => ({ ...robot, id: robot_id }));
  });

  register(app, robotDirectory, async ({ viewer }) => {
    const json = serializeAnswer(robotDirectory, await readRobotDirectory(viewer, deps.db));
    return new SerializedAnswer(robotDirectory, json, versionOf(json));
  });

  register(app, createRobot, async ({ viewer, body }) => ({
    message: "Robot created successfully",
    robotId: await robots.create(viewer, body),
  }));
  register(app, createRobots, ({ viewer, body }) => robots.createMany(viewer, body));
  register(app, updateRobot, async ({ viewer, params, body }) => {
    await robots.update(viewer, params.id, body);
    return { message: "Robot updated successfully" };
  });
  register(app, forgetRobotState, async ({ viewer, params }) => ({
    message: await robots.forgetState(viewer, params.id),
  }));
  register(app, deleteRobot, async ({ viewer, params }) => {
    await robots.delete(viewer, params.id);
    return { message: "Robot deleted successfully" };
  });
  register(app, exportRobots, ({ viewer, reply, signal }) => {
    void reply.header("content-disposition", 'attachment; filename="robots.csv"');
    return robots.export(viewer, signal);
  });
  register(app, importRobots, ({ viewer, body, signal }) => robots.import(viewer, body, signal));
  register(app, robotTypes, ({ viewer }) => readRobotTypes(viewer, deps.db));
  register(app, serialNumbers, ({ viewer }) => readSerialNumbers(viewer, deps.db));

  /** Direction and speeds are sent to the robot, and stored once it shows them. */
  register(app, updateRobotSettings, async ({ viewer, params, body }) => {
    const { success, message, live_position } = await commands.sendSettings(viewer, params.robotId, body);
    return { success, message, live_position };
  });
}

import {
  createRobot,
  deleteRobot,
  forgetRobotState,
  exportRobots,
  importRobots,
  serialNumbers,
  updateRobot,
} from "@suncrew/contract/robots/robot-forms.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Workers } from "../../platform/workers/workers.ts";
import { RobotForms } from "./robot-forms.service.ts";
import { readSerialNumbers } from "./serial-numbers.queries.ts";

/** §7 Robots: create, update, delete, files of them, and the serial numbers there are. */
export function robotFormsRoutes(app: FastifyInstance, deps: Dependencies, workers: Workers): void {
  const forms = new RobotForms(deps, workers);
  register(app, createRobot, async ({ viewer, body }) => ({
    message: "Robot created successfully",
    robotId: await forms.create(viewer, body),
  }));
  register(app, updateRobot, async ({ viewer, params, body }) => {
    await forms.update(viewer, params.id, body);
    return { message: "Robot updated successfully" };
  });
  register(app, forgetRobotState, async ({ viewer, params }) => ({
    message: await forms.forgetState(viewer, params.id),
  }));
  register(app, deleteRobot, async ({ viewer, params }) => {
    await forms.delete(viewer, params.id);
    return { message: "Robot deleted successfully" };
  });
  register(app, exportRobots, ({ viewer, reply, signal }) => {
    void reply.header("content-disposition", 'attachment; filename="robots.csv"');
    return forms.export(viewer, signal);
  });
  register(app, importRobots, ({ viewer, body, signal }) => forms.import(viewer, body, signal));
  register(app, serialNumbers, ({ viewer }) => readSerialNumbers(viewer, deps.db));
}

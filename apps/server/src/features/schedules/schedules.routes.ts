import {
  createSchedule,
  deleteSchedule,
  getRobotSchedule,
  updateSchedule,
} from "@suncrew/contract/schedules/schedules.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { readSchedules } from "./schedules.queries.ts";
import { Schedules } from "./schedules.service.ts";

export function schedulesRoutes(app: FastifyInstance, deps: Dependencies): void {
  const schedules = new Schedules(deps);

  register(app, getRobotSchedule, async ({ viewer, params }) => ({
    message: "Schedule Fetched Successfully" as const,
    schedules: await readSchedules(viewer, deps.db, params.siteId),
  }));

  register(app, createSchedule, async ({ viewer, body }) => {
    const schedule = await schedules.create(viewer, body);
    return { message: "Schedule created successfully", scheduleId: schedule.id, schedule };
  });

  register(app, updateSchedule, async ({ viewer, params, body }) => ({
    message: "Schedule updated successfully",
    schedule: await schedules.update(viewer, params.scheduleId, body),
  }));

  register(app, deleteSchedule, async ({ viewer, params }) => {
    await schedules.remove(viewer, params.scheduleId);
    return { message: "Schedule deleted successfully" };
  });
}

import { scheduleDecisions } from "@suncrew/contract/schedules/schedule-decisions.ts";
import {
  createSchedule,
  deleteSchedule,
  getRobotSchedule,
  updateSchedule,
} from "@suncrew/contract/schedules/schedules.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { readDecisions, readSchedules } from "./schedules.queries.ts";
import { scheduleOf } from "./schedule-row.ts";
import { removeSchedule, saveNewSchedule, saveScheduleChange } from "./schedules.service.ts";

export function schedulesRoutes(app: FastifyInstance, deps: Dependencies): void {
  const { db, clock } = deps;

  register(app, getRobotSchedule, async ({ viewer, params }) => ({
    message: "Schedule Fetched Successfully" as const,
    schedules: await readSchedules(viewer, db, params.siteId),
  }));

  register(app, scheduleDecisions, async ({ viewer, params, query }) => ({
    decisions: await readDecisions(viewer, db, params.siteId, query.group_id),
  }));

  register(app, createSchedule, async ({ viewer, body }) => {
    const schedule = scheduleOf(await saveNewSchedule(db, viewer, body, clock.now()));
    return { message: "Schedule created successfully", scheduleId: schedule.id, schedule };
  });

  register(app, updateSchedule, async ({ viewer, params, body }) => ({
    message: "Schedule updated successfully",
    schedule: scheduleOf(await saveScheduleChange(db, viewer, params.scheduleId, body, clock)),
  }));

  register(app, deleteSchedule, async ({ viewer, params }) => {
    await removeSchedule(db, viewer, params.scheduleId, clock.now());
    return { message: "Schedule deleted successfully" };
  });
}

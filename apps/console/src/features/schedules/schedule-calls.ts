import { groupList, type Group } from "@suncrew/contract/groups/groups.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import { runsCalendar, runsFleetCalendar, runsNight, runsToday } from "@suncrew/contract/runs/runs.ts";
import {
  createSchedule,
  deleteSchedule,
  getRobotSchedule,
  updateSchedule,
} from "@suncrew/contract/schedules/schedules.ts";
import type { Schedule } from "@suncrew/contract/schedules/schedules.ts";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { ApiError, messageOf } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";

export type ScheduleBody = SentBodyOf<typeof createSchedule>;

/** §4 Schedule: created if the group has none, otherwise updated based on the version that the edit started from. */
export function saveSchedule(group: Group, stored: Pick<Schedule, "id" | "version"> | null, body: ScheduleBody) {
  const isNew = stored === null;
  return change({
    send: () =>
      stored === null
        ? call(createSchedule, { body })
        : call(updateSchedule, { params: { scheduleId: stored.id }, body: { ...body, version: stored.version } }),
    onDone: ({ schedule }) => showSchedule(group, schedule),
    // The group may have got a schedule, or lost it, elsewhere.
    invalidates: scheduleKeys(group.site_id),
    hasConflictForm: true,
    success: {
      title: isNew ? "Schedule Created" : "Schedule Updated",
      message: `Schedule for group "${group.group_name}" has been ${isNew ? "created" : "updated"}.`,
    },
    failure: {
      title: isNew ? "Schedule Creation Failed" : "Schedule Update Failed",
      message: isNew ? "Could not create schedule." : "Could not update schedule.",
    },
    reasonOf: messageOf,
  });
}

/** Deletes a group's schedule (§8 Schedule). */
export async function removeSchedule(group: Group, schedule: Schedule): Promise<void> {
  await change({
    send: () => call(deleteSchedule, { params: { scheduleId: schedule.id } }),
    onDone: () => showSchedule(group, null),
    invalidates: scheduleKeys(group.site_id),
    success: {
      title: "Schedule Deleted",
      message: `Schedule for "${group.group_name}" has been removed successfully.`,
    },
    failure: (error) =>
      error instanceof ApiError && error.status === 404
        ? { title: "No Schedule Found", message: "This group doesn't have a schedule.", reason: undefined }
        : { title: "Delete Failed", message: "Could not delete the schedule." },
    reasonOf: messageOf,
  });
}

/** §9, instead of reloading the page: the schedule is shown at once, and what depends on it is refetched. */
function showSchedule({ id, site_id: siteId }: Group, schedule: Schedule | null): void {
  queryClient.setQueryData<readonly Group[]>(queryKeyOf(groupList, { params: { siteId } }), (groups) =>
    groups?.map((one) =>
      one.id === id ? { ...one, schedule_type: schedule?.frequency ?? null, schedule_details: schedule } : one,
    ),
  );
}

const scheduleKeys = (siteId: number) => [
  ...[groupList.path, getRobotSchedule.path, runsCalendar.path, runsNight.path].map((path) => [path, { siteId }]),
  queryKeyOf(runsToday),
  queryKeyOf(runsFleetCalendar),
];

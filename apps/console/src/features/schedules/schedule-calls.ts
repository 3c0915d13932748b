import { groupList } from "@suncrew/contract/groups/groups.ts";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { SentBodyOf } from "@suncrew/contract/http/route.ts";
import { runsCalendar, runsToday } from "@suncrew/contract/runs/runs.ts";
import {
  createSchedule,
  deleteSchedule,
  getRobotSchedule,
  updateSchedule,
} from "@suncrew/contract/schedules/schedules.ts";
import type { Schedule } from "@suncrew/contract/schedules/schedules.ts";
import { call } from "../../platform/api/call.ts";
import { ApiError, isEditConflict, TokenExpiredError, messageOf } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { toast } from "../../platform/toast.tsx";

export type ScheduleBody = SentBodyOf<typeof createSchedule>;

/** How saving ended; nothing is stored unless it is saved. */
export type SaveOutcome = "saved" | "conflict" | "refused";

/**
 * §4 Schedule: created when the group has none, updated from the version that the edit began from when it has one. Says
 * in a toast what became of it (§8 Schedule) and never throws.
 */
export async function saveSchedule(
  group: Group,
  stored: Pick<Schedule, "id" | "version"> | null,
  body: ScheduleBody,
): Promise<SaveOutcome> {
  const isNew = stored === null;
  try {
    const { schedule } = isNew
      ? await call(createSchedule, { body })
      : await call(updateSchedule, {
          params: { scheduleId: stored.id },
          body: { ...body, version: stored.version },
        });
    showSchedule(group, schedule);
    toast.success({
      title: isNew ? "Schedule Created" : "Schedule Updated",
      message: `Schedule for group "${group.group_name}" has been ${isNew ? "created" : "updated"}.`,
    });
    return "saved";
  } catch (error) {
    if (error instanceof TokenExpiredError) return "refused";
    if (isEditConflict(error)) {
      await readAgain(group.site_id);
      return "conflict";
    }
    toast.failure({
      title: isNew ? "Schedule Creation Failed" : "Schedule Update Failed",
      message: isNew ? "Could not create schedule." : "Could not update schedule.",
      reason: reasonOf(error),
    });
    // The group may have been given or have lost its schedule elsewhere.
    if (error instanceof ApiError && (error.status === 404 || error.status === 409)) void readAgain(group.site_id);
    return "refused";
  }
}

/** Deletes a group's schedule and says in a toast what became of it (§8 Schedule); never throws. */
export async function removeSchedule(group: Group, schedule: Schedule): Promise<void> {
  try {
    await call(deleteSchedule, { params: { scheduleId: schedule.id } });
    showSchedule(group, null);
    toast.success({
      title: "Schedule Deleted",
      message: `Schedule for "${group.group_name}" has been removed successfully.`,
    });
  } catch (error) {
    if (error instanceof TokenExpiredError) return;
    if (error instanceof ApiError && error.status === 404) {
      toast.failure({ title: "No Schedule Found", message: "This group doesn't have a schedule." });
      void readAgain(group.site_id);
      return;
    }
    toast.failure({
      title: "Delete Failed",
      message: "Could not delete the schedule.",
      reason: reasonOf(error),
    });
  }
}

function reasonOf(error: unknown): string | undefined {
  return messageOf(error);
}

/** §9, instead of the page's reload: the schedule is shown at once, and what depends on it is read again. */
function showSchedule(group: Group, schedule: Schedule | null): void {
  const { site_id: siteId } = group;
  queryClient.setQueryData<readonly Group[]>(queryKeyOf(groupList, { params: { siteId } }), (groups) =>
    groups?.map((one) =>
      one.id === group.id ? { ...one, schedule_type: schedule?.frequency ?? null, schedule_details: schedule } : one,
    ),
  );
  void readAgain(siteId);
}

async function readAgain(siteId: number): Promise<void> {
  const ofSite = [groupList.path, getRobotSchedule.path, runsCalendar.path].map((path) => [path, { siteId }]);
  await Promise.all([...ofSite, queryKeyOf(runsToday)].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

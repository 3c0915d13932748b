import { createGroup, deleteGroup, groupList, updateGroup } from "@suncrew/contract/groups/groups.ts";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import { getRobotSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";

/** §7 group/create and group/update. */
export interface GroupBody {
  readonly site_id: number;
  readonly group_name: string;
  readonly robot_ids: number[];
}

/** Creates a group, or changes one from the version that the edit began from (§8 Groups). */
export function saveGroup(edited: Pick<Group, "id" | "version"> | null, body: GroupBody) {
  const isNew = edited === null;
  return change<unknown>({
    send: () =>
      edited === null
        ? call(createGroup, { body })
        : call(updateGroup, { params: { groupId: edited.id }, body: { ...body, version: edited.version } }),
    invalidates: groupKeys(body.site_id),
    hasConflictForm: true,
    success: {
      title: isNew ? "Group Created" : "Group Updated",
      message: `Robot group "${body.group_name}" has been ${isNew ? "created" : "updated"} successfully.`,
    },
    failure: {
      title: isNew ? "Group Creation Failed" : "Group Update Failed",
      message: `Failed to ${isNew ? "create" : "update"} robot group. Please try again.`,
    },
  });
}

/** Deletes a group with its schedule (§8 Groups). */
export async function removeGroup(group: Group): Promise<void> {
  await change({
    send: () => call(deleteGroup, { params: { groupId: group.id } }),
    invalidates: groupKeys(group.site_id),
    success: { title: "Group Deleted", message: `Robot group "${group.group_name}" has been deleted successfully.` },
    failure: { title: "Group Deletion Failed", message: "Failed to delete robot group. Please try again." },
  });
}

const groupKeys = (siteId: number) =>
  [groupList, getRobotSchedule].map((route) => queryKeyOf(route, { params: { siteId } }));

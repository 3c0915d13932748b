import { createGroup, deleteGroup, groupList, updateGroup } from "@suncrew/contract/groups/groups.ts";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import { getRobotSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { call } from "../../platform/api/call.ts";
import { isEditConflict, serverReason, TokenExpiredError } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { toast } from "../../platform/toast.tsx";

/** §7 group/create and group/update. */
export interface GroupBody {
  readonly site_id: number;
  readonly group_name: string;
  readonly robot_ids: number[];
}

/** How saving ended; nothing is stored unless it is saved. */
export type SaveOutcome = "saved" | "conflict" | "refused";

/** Creates a group, or changes one from the version that the edit began from. Says so in a toast (§8 Groups) and never throws. */
export async function saveGroup(group: Pick<Group, "id" | "version"> | null, body: GroupBody): Promise<SaveOutcome> {
  const name = body.group_name.trim();
  try {
    if (group === null) await call(createGroup, { body });
    else await call(updateGroup, { params: { groupId: group.id }, body: { ...body, version: group.version } });
    await readAgain(body.site_id);
    toast.success(
      group === null
        ? { title: "Group Created", message: `Robot group "${name}" has been created successfully.` }
        : { title: "Group Updated", message: `Robot group "${name}" has been updated successfully.` },
    );
    return "saved";
  } catch (error) {
    if (error instanceof TokenExpiredError) return "refused";
    // Somebody else may have been faster: what is shown must be what there is.
    const read = readAgain(body.site_id);
    if (isEditConflict(error)) {
      await read;
      return "conflict";
    }
    toast.failure(
      group === null
        ? {
            title: "Group Creation Failed",
            message: "Failed to create robot group. Please try again.",
            reason: serverReason(error),
          }
        : {
            title: "Group Update Failed",
            message: "Failed to update robot group. Please try again.",
            reason: serverReason(error),
          },
    );
    return "refused";
  }
}

/** Deletes a group with its schedule. Says in a toast what became of it (§8 Groups) and never throws. */
export async function removeGroup(group: Group): Promise<void> {
  try {
    await call(deleteGroup, { params: { groupId: group.id } });
    await readAgain(group.site_id);
    toast.success({
      title: "Group Deleted",
      message: `Robot group "${group.group_name}" has been deleted successfully.`,
    });
  } catch (error) {
    if (error instanceof TokenExpiredError) return;
    toast.failure({
      title: "Group Deletion Failed",
      message: "Failed to delete robot group. Please try again.",
      reason: serverReason(error),
    });
    void readAgain(group.site_id);
  }
}

/** Also where the live stream is lost; a failure here shows in the list itself. */
async function readAgain(siteId: number): Promise<void> {
  await Promise.all(
    [groupList, getRobotSchedule].map((route) =>
      queryClient.invalidateQueries({ queryKey: queryKeyOf(route, { params: { siteId } }) }),
    ),
  );
}

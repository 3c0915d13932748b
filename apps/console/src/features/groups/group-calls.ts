import { createGroup, deleteGroup, type Group, groupList, updateGroup } from "@suncrew/contract/groups/groups.ts";
import { getRobotSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { isUninformative } from "../../platform/api/errors.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { currentSession } from "../../platform/session/session.ts";
import { clientScheduleOf } from "../schedules/public.ts";
import { clientGroupOf, storedGroupsWith } from "./client-groups.ts";

/** §9 Browser storage keys; sign-out removes it. */
const STORAGE_KEY = "robotGroups";
const NONE: readonly Group[] = [];

interface SiteGroups {
  readonly state: "loading" | "failed" | "loaded";
  /** §8 Groups fetch failure: emptied. */
  readonly groups: readonly Group[];
  /** The last loaded groups, even if they could not be loaded again: input in a dialog is checked against them. */
  readonly lastKnown: readonly Group[];
  readonly retry: () => void;
  readonly isRetrying: boolean;
}

/** The selected site's groups; the stream says when they changed and must be refetched. */
export function useSiteGroups(siteId: number): SiteGroups {
  const query = useQuery(routeQuery(groupList, { params: { siteId } }));
  const { data, refetch } = query;
  // Nothing reads the copy: what is shown comes only from the server.
  useEffect(() => {
    if (data === undefined || currentSession() === null) return;
    try {
      const groups = data.map((group) => clientGroupOf(group, clientScheduleOf(group.schedule_details)));
      localStorage.setItem(STORAGE_KEY, storedGroupsWith(localStorage.getItem(STORAGE_KEY), siteId, groups));
    } catch {
      // A full storage costs the copy, not the page.
      localStorage.removeItem(STORAGE_KEY);
    }
  }, [data, siteId]);
  // If this browser has lost its connection the last known ones stay, with their Stop All.
  const hasFailed = query.isError && !(data !== undefined && isUninformative(query.error));
  const state = query.isPending ? "loading" : hasFailed ? "failed" : "loaded";
  return {
    state,
    groups: hasFailed ? NONE : (data ?? NONE),
    lastKnown: data ?? NONE,
    retry: useCallback(() => void refetch(), [refetch]),
    isRetrying: query.isFetching,
  };
}

/** §7 group/create and group/update. */
interface GroupBody {
  readonly site_id: number;
  readonly group_name: string;
  readonly robot_ids: number[];
}

/** Creates a group, or changes one based on the version that the edit started from (§8 Groups). */
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

import { groupList } from "@suncrew/contract/groups/groups.ts";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { isUninformative } from "../../platform/api/errors.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { currentSession } from "../../platform/session/session.ts";
import { clientScheduleOf } from "../schedules/public.ts";
import { clientGroupOf, storedGroupsWith } from "./client-groups.ts";

/** §9 Browser storage keys; sign-out removes it. */
const STORAGE_KEY = "robotGroups";
const NONE: readonly Group[] = [];

export interface SiteGroups {
  readonly state: "loading" | "failed" | "loaded";
  /** §8 Groups fetch failure: emptied. */
  readonly groups: readonly Group[];
  /** Those last loaded, also where they could not be loaded again: what is typed in a dialog is checked against them. */
  readonly lastKnown: readonly Group[];
  readonly retry: () => void;
  readonly isRetrying: boolean;
}

/** The selected site's groups; the stream says when they changed and they are read again. */
export function useSiteGroups(siteId: number): SiteGroups {
  const query = useQuery(routeQuery(groupList, { params: { siteId } }));
  const { data, refetch } = query;
  // Nothing reads the copy: what is shown comes from the server alone.
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
  // Where this browser lost its connection the last known ones stay, with their Stop All.
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

import { groupList } from "@suncrew/contract/groups/groups.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { useNow } from "../../../ui/use-now.ts";
import { useRobotsLive } from "../../robots/public.ts";
import { movingSerials } from "./site-contents.ts";
import type { SiteContents } from "./site-contents.ts";

/** What goes with a site that is deleted, read anew when the question is asked. */
export interface LoadedContents extends SiteContents {
  readonly state: "loading" | "failed" | "loaded";
  /** Serial numbers of the robots that clean, or may still move: then the site is not deleted. */
  readonly moving: readonly string[];
  /** One of them was lost while it moved. */
  readonly isAnyLost: boolean;
  readonly retry: () => void;
  readonly isRetrying: boolean;
}

const NONE: readonly never[] = [];

export function useSiteContents(siteId: number): LoadedContents {
  const fresh = { staleTime: 0, refetchOnMount: "always" } as const;
  const robots = useQuery({ ...routeQuery(robotDetailsWithSettings, { params: { siteId } }), ...fresh });
  const groups = useQuery({ ...routeQuery(groupList, { params: { siteId } }), ...fresh });
  const live = useRobotsLive(robots.data?.robots ?? NONE);
  const now = useNow();
  const listed = groups.data ?? NONE;
  // What was read once stays, also where reading it again fails because the site has just gone.
  const isLoaded = robots.data !== undefined && groups.data !== undefined;
  return {
    state: isLoaded ? "loaded" : robots.isError || groups.isError ? "failed" : "loading",
    robots: live.length,
    groups: listed.length,
    schedules: listed.filter((group) => group.schedule_details !== null).length,
    moving: movingSerials(live, now),
    isAnyLost: live.some((robot) => robot.lost_while_moving?.state === "MAY_BE_MOVING"),
    retry: () => {
      if (robots.isError) void robots.refetch();
      if (groups.isError) void groups.refetch();
    },
    isRetrying: robots.isFetching || groups.isFetching,
  };
}

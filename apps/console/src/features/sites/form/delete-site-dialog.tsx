import { Text } from "@mantine/core";
import { groupList } from "@suncrew/contract/groups/groups.ts";
import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { DeleteDialog } from "../../../ui/delete-dialog.tsx";
import { FailedState } from "../../../ui/failed-state.tsx";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import { useNow } from "../../../ui/use-now.ts";
import { useRobotsLive } from "../../robots/public.ts";
import { contentsText, movingSentence, movingSerials, type SiteContents } from "./site-contents.ts";
import { removeSite } from "./use-site-form.ts";

export interface DeleteSiteDialogProps {
  readonly site: Site;
  /** Called once the site is deleted, before the list is refetched; closes the dialog. */
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/** §2 Delete Site confirm: lists what is deleted with the site, and says why if it cannot be deleted. */
export function DeleteSiteDialog({ site, onDeleted, onClose }: DeleteSiteDialogProps) {
  const contents = useSiteContents(site.id);
  const isLoaded = contents.state === "loaded";
  const withIt = contentsText(contents);
  return (
    <DeleteDialog
      title="Delete Site"
      blockedReason={isLoaded ? movingSentence(contents.moving, contents.isAnyLost) : null}
      unknown={isLoaded ? null : "What belongs to the site is not known yet."}
      onDelete={() => removeSite(site, onDeleted)}
      onClose={onClose}
    >
      {contents.state === "loading" ? (
        <SkeletonLines label="Loading what belongs to the site" lines={2} lineHeightPx={40} />
      ) : contents.state === "failed" ? (
        <FailedState
          title="What belongs to the site could not be loaded."
          onRetry={contents.retry}
          retrying={contents.isRetrying}
        />
      ) : (
        <>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            <strong>{site.name}</strong> will be deleted
            {withIt === null ? ". It has no robots, groups or schedules." : ` with its ${withIt}.`}
          </Text>
          <Text size="sm" c="dimmed" mt="xs">
            This action cannot be undone. The history of the site and its robots stays readable
            {contents.robots > 0 && ", and the serial numbers are free again"}.
          </Text>
        </>
      )}
    </DeleteDialog>
  );
}

/** What is deleted with a site, refetched when the dialog opens. */
export interface LoadedContents extends SiteContents {
  readonly state: "loading" | "failed" | "loaded";
  /** Serial numbers of the robots that are cleaning, or may still move: then the site is not deleted. */
  readonly moving: readonly string[];
  /** One of them was lost while moving. */
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
  // What was loaded once stays, even if reloading it fails because the site has just been deleted.
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

import { Button } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconPlus, IconStack2 } from "@tabler/icons-react";
import { useState } from "react";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FailedState } from "../../ui/failed-state.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import type { SiteRobots } from "../robots/public.ts";
import classes from "./robot-groups-card.module.css";
import { RobotGroupRow } from "./robot-group-row.tsx";
import { useSiteGroups } from "./use-site-groups.ts";

const GroupDialog = lazyDialog(
  ({ group }) => (group === null ? "Create Group" : "Edit Robot Group"),
  async () => (await import("./group-dialog.tsx")).GroupDialog,
);

export interface RobotGroupsCardProps {
  readonly site: Site;
  readonly robots: SiteRobots;
}

/** §2 Site Management page, Robot Groups tab: the card with Create Group, and a row for each group. */
export function RobotGroupsCard({ site, robots }: RobotGroupsCardProps) {
  const { state, groups, lastKnown, retry, isRetrying } = useSiteGroups(site.id);
  const [open, setOpen] = useState<{ readonly group: Group | null } | null>(null);
  const missing = whatIsMissing(state, robots);
  return (
    <section aria-labelledby="robot-groups-title">
      <div className={classes["head"]}>
        <h3 id="robot-groups-title" className={classes["title"]}>
          Robot Groups{state === "loaded" && ` (${groups.length})`}
        </h3>
        <DisabledReason reason={missing}>
          <Button
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            aria-haspopup="dialog"
            onClick={() => setOpen({ group: null })}
          >
            Create Group
          </Button>
        </DisabledReason>
      </div>
      {state === "loading" ? (
        <SkeletonLines label="Loading robot groups" lines={3} lineHeightPx={72} />
      ) : state === "failed" ? (
        <FailedState title="The robot groups could not be loaded." onRetry={retry} retrying={isRetrying} />
      ) : groups.length === 0 ? (
        <EmptyState
          title="No robot groups yet"
          message="Robots in a group are started, stopped and scheduled together."
          icon={<IconStack2 size={32} stroke={1.5} />}
        />
      ) : (
        <ul className={classes["groups"]}>
          {groups.map((group) => (
            <RobotGroupRow
              key={group.id}
              group={group}
              site={site}
              siteRows={robots.rows}
              editObstacle={missing}
              onEdit={() => setOpen({ group })}
            />
          ))}
        </ul>
      )}
      {open !== null && (
        <GroupDialog
          site={site}
          group={open.group}
          groups={lastKnown}
          rows={robots.rows}
          onClose={() => setOpen(null)}
        />
      )}
    </section>
  );
}

/** Nobody can be put into a group while it is not known who there is. */
function whatIsMissing(groups: "loading" | "failed" | "loaded", robots: SiteRobots): string | null {
  if (groups === "loading" || robots.state === "loading") return "The site is still being loaded.";
  if (groups === "failed") return "The robot groups could not be loaded.";
  return robots.state === "failed" ? "The robots could not be loaded." : null;
}

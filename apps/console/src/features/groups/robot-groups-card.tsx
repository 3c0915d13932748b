import { robotCountText } from "@suncrew/domain/groups/groups.ts";
import { Box, Group as Row } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconEdit, IconPlus, IconStack2, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { confirm } from "../../platform/confirm/confirm.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FailedState } from "../../ui/failed-state.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import type { SiteRobots } from "../robots/public.ts";
import { ScheduleSummary } from "../schedules/public.ts";
import { removeGroup, useSiteGroups } from "./group-calls.ts";
import { GroupDialog } from "./lazy-groups.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./robot-groups-card.module.css";
import { useBusy } from "../../ui/use-busy.ts";
import { ToolButton } from "../../ui/tool-button.tsx";
import { SerialNumbers } from "./serial-numbers.tsx";

/** §2 Site Management page, Robot Groups tab: the card with Create Group, and a row for each group. */
export function RobotGroupsCard({ site, robots }: { readonly site: Site; readonly robots: SiteRobots }) {
  const { state, groups, lastKnown, retry, isRetrying } = useSiteGroups(site.id);
  const [open, setOpen] = useState<{ readonly group: Group | null } | null>(null);
  const blockedReason = editBlockedReasonOf(state, robots);
  return (
    <section aria-labelledby="robot-groups-title">
      <Row gap={8} justify="space-between" mb={10}>
        <Box component="h3" id="robot-groups-title" fz={14} fw={650} lh="20px">
          Robot Groups{state === "loaded" && ` (${groups.length})`}
        </Box>
        <DisabledReason reason={blockedReason}>
          <ToolButton icon={IconPlus} variant="filled" aria-haspopup="dialog" onClick={() => setOpen({ group: null })}>
            Create Group
          </ToolButton>
        </DisabledReason>
      </Row>
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
        <Box component="ul" display="flex" style={{ flexDirection: "column", gap: 10 }}>
          {groups.map((group) => (
            <RobotGroupRow
              key={group.id}
              group={group}
              site={site}
              siteRows={robots.rows}
              editBlockedReason={blockedReason}
              onEdit={() => setOpen({ group })}
            />
          ))}
        </Box>
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

/** A group cannot be edited until the site's robots and groups are known. */
function editBlockedReasonOf(groups: "loading" | "failed" | "loaded", robots: SiteRobots): string | null {
  if (groups === "loading" || robots.state === "loading") return "The site is still being loaded.";
  if (groups === "failed") return "The robot groups could not be loaded.";
  return robots.state === "failed" ? "The robots could not be loaded." : null;
}

/** This many serial numbers are listed, the rest are counted. */
const SERIALS_NAMED = 12;

interface RobotGroupRowProps {
  readonly group: Group;
  readonly site: Site;
  /** The robots of the site. */
  readonly siteRows: readonly RobotWithSettings[];
  /** Why it cannot be edited; null if it can. */
  readonly editBlockedReason: string | null;
  readonly onEdit: () => void;
}

/** One group of the Robot Groups card: its robots, its schedule, Edit and Delete. */
function RobotGroupRow({ group, site, siteRows, editBlockedReason, onEdit }: RobotGroupRowProps) {
  const [isDeleting, run] = useBusy();
  const ids = new Set(group.robots.map(({ id }) => id));
  const members = siteRows.filter((row) => ids.has(row.robot_id));
  const serials = members.map((row) => row.serial_number);
  const more = serials.length - SERIALS_NAMED;

  const remove = async () => {
    const isSure = await confirm({
      title: "Delete Robot Group",
      message: deleteMessage(group),
      confirmLabel: "Yes",
      cancelLabel: "No",
      destructive: true,
    });
    if (isSure) await run(() => removeGroup(group));
  };

  return (
    <li className={`${shared["box"]} ${classes["group"]}`} aria-label={group.group_name}>
      <Row gap={8} align="flex-start" justify="space-between">
        <Box flex="1 1 220px" miw={0}>
          <Box component="h4" fz={14} fw={600} lh="20px" style={{ overflowWrap: "anywhere" }}>
            {group.group_name}
          </Box>
          <Box component="p" fz={12} lh="18px" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {robotCountText(group.robots.length)}
            {serials.length > 0 && ": "}
            <SerialNumbers serials={serials.slice(0, SERIALS_NAMED)} />
            {more > 0 && ` and ${more} more`}
          </Box>
        </Box>
        <div className={`${shared["touchAll"]} ${classes["buttons"]}`}>
          <DisabledReason reason={editBlockedReason}>
            <ToolButton icon={IconEdit} aria-haspopup="dialog" onClick={onEdit}>
              Edit
            </ToolButton>
          </DisabledReason>
          <ToolButton icon={IconTrash} aria-haspopup="dialog" loading={isDeleting} onClick={() => void remove()}>
            Delete
          </ToolButton>
        </div>
      </Row>
      {group.schedule_details !== null && <ScheduleSummary group={group} site={site} robots={members} />}
    </li>
  );
}

/** §5: what is deleted with the group, and what is not. */
function deleteMessage(group: Group): string {
  const schedule = group.schedule_details === null ? "" : " Its schedule is deleted with it.";
  const robots = group.robots.length === 1 ? "Its robot stays" : `Its ${group.robots.length} robots stay`;
  return `Delete the group "${group.group_name}"?${schedule} ${robots} at the site without a group.`;
}

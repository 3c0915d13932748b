import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { groupStatusOf, onlineMembersOf } from "@suncrew/domain/groups/group-status.ts";
import { memo, useMemo } from "react";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useRobotsLive, useRobotViews } from "../robots/public.ts";
import type { RobotView } from "../robots/public.ts";
import { GroupMaintenanceButton } from "../maintenance/public.ts";
import { ScheduleButton, ScheduleSummary } from "../schedules/public.ts";
import { useGroupAction } from "./group-action-store.ts";
import classes from "./group-card.module.css";
import { GroupControls } from "./group-controls.tsx";
import { GroupMembers } from "./group-members.tsx";
import { groupStatusLook, robotsText } from "./group-meaning.ts";
import { groupActivityOf } from "./group-progress.ts";
import { GroupResult } from "./group-result.tsx";

export interface GroupCardProps {
  readonly group: Group;
  readonly site: Site;
  /** The robots of the site; none while they are not known. */
  readonly siteRows: readonly RobotWithSettings[];
}

/** §2 Group Control tab: one group, its robots, and what can be done with all of them. */
export const GroupCard = memo(function GroupCard({ group, site, siteRows }: GroupCardProps) {
  const rows = useMemo(() => {
    const ids = new Set(group.robots.map(({ id }) => id));
    return siteRows.filter((row) => ids.has(row.robot_id));
  }, [group.robots, siteRows]);
  const members = useRobotViews(rows);
  const told = useRobotsLive(rows);
  const action = useGroupAction(group.id);
  const isKnown = rows.length === group.robots.length && members.every((robot) => !robot.isChecking);
  const ordered = action?.isUnderWay === true ? action : null;
  return (
    <article className={classes["card"]} aria-label={group.group_name} tabIndex={-1}>
      <div className={classes["head"]}>
        <h3 className={classes["name"]}>{group.group_name}</h3>
        <GroupStatusBadge members={members} total={group.robots.length} />
      </div>
      <p className={classes["facts"]}>
        <span>{robotsText(group.robots.length)}</span>
        <span role="status" data-busy={ordered !== null || undefined}>
          {isKnown || ordered !== null ? groupActivityOf(members, ordered) : "Waiting for the robots"}
        </span>
      </p>
      {/* Before the robots, of whom there may be many: Stop All is never out of reach. */}
      <GroupControls
        group={group}
        rows={rows}
        members={members}
        isKnown={isKnown}
        action={ordered}
        tools={
          <>
            <ScheduleButton group={group} site={site} robots={told} />
            <GroupMaintenanceButton group={group} site={site} robots={told} />
          </>
        }
      />
      {action !== null && !action.isUnderWay && <GroupResult group={group} rows={rows} action={action} />}
      <ScheduleSummary group={group} site={site} robots={told} />
      <GroupMembers group={group} rows={rows} ordered={ordered} />
    </article>
  );
});

/** §4 Group status: standby is displayed as 'Online: n/m'. */
function GroupStatusBadge({ members, total }: { members: readonly RobotView[]; total: number }) {
  const status = groupStatusOf(members);
  const look = groupStatusLook[status];
  if (status !== "standby") return <StateBadge look={look} />;
  return <StateBadge look={look} label={`Online: ${onlineMembersOf(members)}/${total}`} />;
}

import { Button } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotLive, RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { groupStatusOf, onlineMembersOf, robotCountText } from "@suncrew/domain/groups/groups.ts";
import { presentByReport, runOfMany, runProgressOf, runProgressText } from "@suncrew/domain/runs/run-progress.ts";
import { IconCheck, IconLoader2 } from "@tabler/icons-react";
import { memo, useMemo, useState } from "react";
import { sameApartFrom } from "../../platform/live/live.ts";
import { siteClockText } from "../../ui/site-time-text.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useNow } from "../../ui/use-now.ts";
import type { StartOrStop } from "../commands/public.ts";
import { GroupMaintenanceButton } from "../maintenance/public.ts";
import {
  alarmOf,
  robotActivityOf,
  RobotBatteryBadge,
  RobotStatusBadge,
  RunBar,
  type RobotView,
  useRobotsLive,
  useRobotView,
  useRobotViews,
} from "../robots/public.ts";
import { ScheduleButton, ScheduleSummary } from "../schedules/public.ts";
import shared from "../../ui/shared.module.css";
import classes from "./group-card.module.css";
import { type GroupAction, useGroupAction } from "./group-commands.ts";
import { GroupControls, GroupResult } from "./group-controls.tsx";
import { groupActivityOf, groupStatusLook, showsCommand } from "./group-looks.ts";

interface GroupCardProps {
  readonly group: Group;
  readonly site: Site;
  /** The site's robots; none while they are unknown. */
  readonly siteRows: readonly RobotWithSettings[];
}

/** The card is about what its robots do; their readings are in the grid, where each robot renders separately. */
const hasSameMembers = sameApartFrom<RobotView>(
  "batteryPercent",
  "reportedBatteryPercent",
  "isCharging",
  "lastUpdatedAt",
  "isStale",
  "refresh",
  "alerts",
);
const hasSameRobots = sameApartFrom<RobotLive>(
  "battery_level",
  "charging",
  "last_updated_at",
  "alerts",
  "alert_severities",
);

/** §2 Group Control tab: one group, its robots, and what can be done with all of them. */
export const GroupCard = memo(function GroupCard({ group, site, siteRows }: GroupCardProps) {
  const rows = useMemo(() => {
    const ids = new Set(group.robots.map(({ id }) => id));
    return siteRows.filter((row) => ids.has(row.robot_id));
  }, [group.robots, siteRows]);
  const members = useRobotViews(rows, hasSameMembers);
  const live = useRobotsLive(rows, hasSameRobots);
  const action = useGroupAction(group.id);
  const isKnown = rows.length === group.robots.length && members.every((robot) => !robot.isChecking);
  const pending = action?.isUnderWay === true ? action : null;
  return (
    <article className={`${shared["card"]} ${classes["card"]}`} aria-label={group.group_name} tabIndex={-1}>
      <div className={classes["head"]}>
        <h3 className={shared["title"]}>{group.group_name}</h3>
        <GroupStatusBadge members={members} total={group.robots.length} />
      </div>
      <p className={`${shared["muted"]} ${classes["facts"]}`}>
        <span>{robotCountText(group.robots.length)}</span>
        <span role="status" data-busy={pending !== null || undefined}>
          {isKnown || pending !== null ? groupActivityOf(members, pending) : "Waiting for the robots"}
        </span>
        {isKnown && pending === null && <GroupRun name={group.group_name} members={members} />}
      </p>
      {/* Above the robots, of which there may be many: Stop All must stay within reach. */}
      <GroupControls
        group={group}
        rows={rows}
        members={members}
        isKnown={isKnown}
        action={pending}
        tools={
          <>
            <ScheduleButton group={group} site={site} robots={live} />
            <GroupMaintenanceButton group={group} site={site} robots={live} />
          </>
        }
      />
      {action !== null && !action.isUnderWay && <GroupResult group={group} rows={rows} action={action} />}
      <ScheduleSummary group={group} site={site} robots={live} />
      <GroupMembers group={group} rows={rows} pending={pending} />
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

/** How far the run of its members is; renders as time passes, unlike the card. */
function GroupRun({ name, members }: { readonly name: string; readonly members: readonly RobotView[] }) {
  const now = useNow();
  const cleaning = members.filter(({ motion }) => motion === "MOVING");
  const run = runOfMany(cleaning.flatMap(({ run: own }) => own ?? []));
  const [first] = cleaning;
  if (run === null || first === undefined) return null;
  const reports = cleaning.map(({ lastUpdatedAt }) => lastUpdatedAt?.getTime() ?? 0);
  const latestMs = Math.max(...reports);
  const progress = runProgressOf(run, presentByReport(now, latestMs === 0 ? null : new Date(latestMs)));
  const text = runProgressText(progress, (at) => siteClockText(at, first.timezone));
  return (
    <span className={classes["run"]} title={text}>
      <RunBar
        of={name}
        percent={progress.kind === "planned" ? progress.percent : undefined}
        className={classes["runBar"]}
      />
      <span className={classes["activityText"]}>{text}</span>
    </span>
  );
}

/** This many keep a card readable; the others are shown on request. */
const SHOWN_AT_FIRST = 24;

interface GroupMembersProps {
  readonly group: Group;
  readonly rows: readonly RobotWithSettings[];
  /** This browser's command in progress. */
  readonly pending: GroupAction | null;
}

/** §2 Member robot grid with battery badges; during a command, each robot's own progress. */
function GroupMembers({ group, rows, pending }: GroupMembersProps) {
  const [isExpanded, setExpanded] = useState(false);
  const shown = isExpanded ? rows : rows.slice(0, SHOWN_AT_FIRST);
  return (
    <>
      <ul className={classes["grid"]} aria-label={`Robots of ${group.group_name}`}>
        {shown.map((row) => (
          <Member
            key={row.robot_id}
            row={row}
            pending={pending?.robotIds.includes(row.robot_id) === true ? pending.verb : null}
          />
        ))}
      </ul>
      {rows.length > SHOWN_AT_FIRST && (
        <Button
          className={classes["more"]}
          variant="subtle"
          size="compact-xs"
          aria-expanded={isExpanded}
          onClick={() => setExpanded(!isExpanded)}
        >
          {isExpanded ? "Show fewer" : `Show all ${rows.length.toLocaleString("en-GB")} robots`}
        </Button>
      )}
    </>
  );
}

function Member({ row, pending }: { row: RobotWithSettings; pending: StartOrStop | null }) {
  const robot = useRobotView(row);
  const activity = robotActivityOf(robot, useNow());
  return (
    <li className={`${shared["box"]} ${classes["member"]}`} data-alarm={alarmOf(robot) === "critical" || undefined}>
      <span className={classes["line"]}>
        <span className={`${shared["name"]} ${classes["serial"]}`}>{robot.serialNumber}</span>
        <RobotBatteryBadge robot={robot} />
      </span>
      <span className={classes["line"]}>
        <span className={`${shared["muted"]} ${classes["activity"]}`} data-kind={activity.kind} title={activity.text}>
          {pending !== null && <Progress robot={robot} verb={pending} />}
          <span className={classes["activityText"]}>{activity.short ?? activity.text}</span>
        </span>
        <RobotStatusBadge robot={robot} />
      </span>
      <RunBar of={robot.serialNumber} percent={activity.plan?.percent} />
    </li>
  );
}

function Progress({ robot, verb }: { robot: RobotView; verb: StartOrStop }) {
  if (showsCommand(robot, verb)) return <IconCheck size={14} className={classes["confirmed"]} aria-label="Confirmed" />;
  // A skipped robot has nothing to confirm.
  if (robot.openCommand?.verb !== verb) return null;
  return <IconLoader2 size={14} className={`${shared["turning"]} ${classes["turning"]}`} aria-label="Waiting" />;
}

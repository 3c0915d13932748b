import { Button } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { IconCheck, IconLoader2 } from "@tabler/icons-react";
import { useState } from "react";
import { useNow } from "../../ui/use-now.ts";
import type { StartOrStop } from "../commands/public.ts";
import { alarmOf, robotActivityOf, RobotBatteryBadge, RobotStatusBadge, useRobotView } from "../robots/public.ts";
import type { RobotView } from "../robots/public.ts";
import type { GroupAction } from "./group-action-store.ts";
import classes from "./group-members.module.css";
import { showsCommand } from "./group-progress.ts";

/** A card stays readable with so many; the others follow on request. */
const SHOWN_AT_FIRST = 24;

export interface GroupMembersProps {
  readonly group: Group;
  readonly rows: readonly RobotWithSettings[];
  /** This browser's order under way. */
  readonly ordered: GroupAction | null;
}

/** §2 Member robot grid with battery badges; while an order is under way, each robot's own progress. */
export function GroupMembers({ group, rows, ordered }: GroupMembersProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, SHOWN_AT_FIRST);
  return (
    <>
      <ul className={classes["grid"]} aria-label={`Robots of ${group.group_name}`}>
        {shown.map((row) => (
          <Member
            key={row.robot_id}
            row={row}
            ordered={ordered?.robotIds.includes(row.robot_id) === true ? ordered.verb : null}
          />
        ))}
      </ul>
      {rows.length > SHOWN_AT_FIRST && (
        <Button
          className={classes["more"]}
          variant="subtle"
          size="compact-xs"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? "Show fewer" : `Show all ${rows.length} robots`}
        </Button>
      )}
    </>
  );
}

function Member({ row, ordered }: { row: RobotWithSettings; ordered: StartOrStop | null }) {
  const robot = useRobotView(row);
  const activity = robotActivityOf(robot, useNow());
  return (
    <li className={classes["member"]} data-alarm={alarmOf(robot) === "critical" || undefined}>
      <span className={classes["line"]}>
        <span className={classes["serial"]}>{robot.serialNumber}</span>
        <RobotBatteryBadge robot={robot} />
      </span>
      <span className={classes["line"]}>
        <span className={classes["activity"]} data-kind={activity.kind} title={activity.text}>
          {ordered !== null && <Progress robot={robot} verb={ordered} />}
          <span className={classes["said"]}>{activity.text}</span>
        </span>
        <RobotStatusBadge robot={robot} />
      </span>
    </li>
  );
}

function Progress({ robot, verb }: { robot: RobotView; verb: StartOrStop }) {
  if (showsCommand(robot, verb)) return <IconCheck size={14} className={classes["confirmed"]} aria-label="Confirmed" />;
  // A robot that is skipped is waited for by nobody.
  if (robot.openCommand?.verb !== verb) return null;
  return <IconLoader2 size={14} className={classes["turning"]} aria-label="Waiting" />;
}

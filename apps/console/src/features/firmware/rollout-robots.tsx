import type { RolloutRobot } from "@suncrew/contract/firmware/firmware.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { VirtualTable } from "../../ui/virtual-table.tsx";
import { robotLook } from "./rollout-meaning.ts";
import classes from "./rollout-robots.module.css";

const ROW_PX = 44;
const NARROW_ROW_PX = 92;

export interface RolloutRobotsProps {
  readonly robots: readonly RolloutRobot[];
  readonly version: string;
  readonly deadlineMinutes: number;
  readonly isNarrow: boolean;
}

/** A row for each robot of a rollout, of which only those in sight exist. */
export function RolloutRobots({ robots, version, deadlineMinutes, isNarrow }: RolloutRobotsProps) {
  return (
    <VirtualTable
      label="Robots of the rollout"
      columns={["Robot", "Site", "State", "Version", "Details", "Ended"]}
      rows={robots}
      keyOf={(robot) => robot.robot_id}
      rowPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
      isNarrow={isNarrow}
      className={classes["table"]}
      rowClassName={classes["row"]}
    >
      {(robot) => <RobotCells robot={robot} version={version} deadlineMinutes={deadlineMinutes} />}
    </VirtualTable>
  );
}

/** Since when it is under way: its deadline counts from there. */
function Offered({ at, deadlineMinutes }: { at: string; deadlineMinutes: number }) {
  return (
    <>
      Offered <RelativeTime at={at} />, has {deadlineMinutes} min from then
    </>
  );
}

interface RobotCellsProps extends Pick<RolloutRobotsProps, "version" | "deadlineMinutes"> {
  readonly robot: RolloutRobot;
}

function RobotCells({ robot, version, deadlineMinutes }: RobotCellsProps) {
  const { from_version: from, state, reason, offered_at: offeredAt, ended_at: endedAt } = robot;
  return (
    <>
      <span role="cell" className={classes["robot"]} title={robot.robot_name}>
        {robot.serial_number}
        {robot.canary && <span className={classes["first"]}>first</span>}
      </span>
      <span role="cell" className={classes["site"]} title={robot.site_name}>
        {robot.site_name}
      </span>
      <span role="cell" className={classes["state"]}>
        <StateBadge look={robotLook(robot)} />
      </span>
      <span role="cell" className={classes["version"]}>
        {state === "DONE" ? `${from ?? "?"} → ${version}` : (from ?? "–")}
      </span>
      <span role="cell" className={classes["reason"]} title={reason ?? undefined}>
        {reason ??
          (endedAt === null && offeredAt !== null ? <Offered at={offeredAt} deadlineMinutes={deadlineMinutes} /> : "")}
      </span>
      <span role="cell" className={classes["ended"]}>
        {endedAt === null ? "" : <RelativeTime at={endedAt} />}
      </span>
    </>
  );
}

import type { RolloutRobot } from "@suncrew/contract/firmware/firmware.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { VirtualTable } from "../../ui/virtual-table.tsx";
import { robotLook } from "./rollout-meaning.ts";
import classes from "./rollout-robots.module.css";

const ROW_PX = 44;
const NARROW_ROW_PX = 76;

export interface RolloutRobotsProps {
  readonly robots: readonly RolloutRobot[];
  readonly version: string;
  readonly isNarrow: boolean;
}

/** A row for each robot of a rollout, of which only those in sight exist. */
export function RolloutRobots({ robots, version, isNarrow }: RolloutRobotsProps) {
  return (
    <VirtualTable
      label="Robots of the rollout"
      columns={["Robot", "Site", "State", "Version", "Why", "Ended"]}
      rows={robots}
      keyOf={(robot) => robot.robot_id}
      rowPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
      isNarrow={isNarrow}
      className={classes["table"]}
      rowClassName={classes["row"]}
    >
      {(robot) => <RobotCells robot={robot} version={version} />}
    </VirtualTable>
  );
}

/** Since when it is under way: a robot that says nothing has until its deadline. */
function Offered({ at }: { at: string }) {
  return (
    <>
      Offered <RelativeTime at={at} />
    </>
  );
}

function RobotCells({ robot, version }: { robot: RolloutRobot; version: string }) {
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
        {reason ?? (endedAt === null && offeredAt !== null ? <Offered at={offeredAt} /> : "")}
      </span>
      <span role="cell" className={classes["ended"]}>
        {endedAt === null ? "" : <RelativeTime at={endedAt} />}
      </span>
    </>
  );
}

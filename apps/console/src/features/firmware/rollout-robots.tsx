import type { RolloutRobot } from "@suncrew/contract/firmware/firmware.ts";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
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
  const scroll = useRef<HTMLDivElement>(null);
  const rowPx = isNarrow ? NARROW_ROW_PX : ROW_PX;
  // oxlint-disable-next-line react/incompatible-library -- the console is not built with the compiler
  const virtualizer = useVirtualizer({
    count: robots.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 8,
    initialRect: { width: 900, height: 500 },
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowPx]);
  return (
    <div className={classes["table"]} role="table" aria-label="Robots of the rollout" aria-rowcount={robots.length + 1}>
      <div className={classes["names"]} role="row" aria-rowindex={1} data-narrow={isNarrow || undefined}>
        {["Robot", "Site", "State", "Version", "Why", "Ended"].map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
      <div ref={scroll} className={classes["scroll"]} role="rowgroup" tabIndex={0} aria-label="Robots, scrollable">
        <div role="presentation" style={{ position: "relative", height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const robot = robots[index];
            return (
              robot && (
                <div
                  key={robot.robot_id}
                  className={classes["row"]}
                  role="row"
                  aria-rowindex={index + 2}
                  data-narrow={isNarrow || undefined}
                  style={{ top: start, height: rowPx }}
                >
                  <RobotCells robot={robot} version={version} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
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

import { batteryLevelOf } from "@suncrew/domain/robots/battery.ts";
import { IconBolt } from "@tabler/icons-react";
import { VisuallyHidden } from "@mantine/core";
import { StateBadge } from "../../ui/state-badge.tsx";
import classes from "./robot-badges.module.css";
import { batteryColour, batteryWord, CHECKING_LABEL, maintenanceLook, robotStatusLook } from "./robot-meaning.ts";
import type { RobotView } from "./robot-view.ts";

/** A robot's battery in a list or grid: a small battery in the battery's colours (§9), and the percentage. */
export function RobotBatteryBadge({ robot }: { robot: RobotView }) {
  const percent = Math.round(robot.batteryPercent);
  const level = batteryLevelOf(robot.batteryPercent);
  const colour = robot.isStale ? "var(--sc-border-strong)" : batteryColour[level];
  return (
    <span className={classes["battery"]} data-old={robot.isStale || undefined}>
      <span className={classes["cell"]} aria-hidden>
        <span className={classes["charge"]} style={{ width: `${percent}%`, background: colour }} />
      </span>
      {robot.isCharging && <IconBolt size={12} aria-label="Charging" />}
      <VisuallyHidden>Battery </VisuallyHidden>
      {percent} %<VisuallyHidden>, {robot.isStale ? "old reading" : batteryWord[level]}</VisuallyHidden>
    </span>
  );
}

/** A robot's status in a list or grid; the lock alone where it is in maintenance, which is always offline (§4). */
export function RobotStatusBadge({ robot }: { robot: RobotView }) {
  if (robot.mode === "maintenance") return <StateBadge look={maintenanceLook} />;
  const look = robotStatusLook[robot.status];
  return robot.isChecking ? <StateBadge look={look} label={CHECKING_LABEL} checking /> : <StateBadge look={look} />;
}

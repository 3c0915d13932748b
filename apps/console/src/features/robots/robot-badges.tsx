import { batteryLevelOf } from "@suncrew/domain/robots/battery.ts";
import { IconBolt } from "@tabler/icons-react";
import { VisuallyHidden } from "@mantine/core";
import { StateBadge } from "../../ui/state-badge.tsx";
import { NoBattery } from "./no-battery.tsx";
import classes from "./robot-badges.module.css";
import {
  batteryColour,
  batteryWord,
  CHECKING_LABEL,
  lostLook,
  maintenanceLook,
  robotStatusLook,
} from "./robot-meaning.ts";
import type { RobotView } from "./robot-view.ts";

/** A robot's battery in a list or grid: a small battery in the battery's colours (§9), and the percentage or a dash. */
export function RobotBatteryBadge({ robot }: { robot: Pick<RobotView, "batteryPercent" | "isStale" | "isCharging"> }) {
  if (robot.batteryPercent === null) return <NoBattery className={classes["battery"]} />;
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

/**
 * A robot's status in a list or grid; the lock alone where it is in maintenance, which is always offline (§4). One that
 * was lost while it moved is never offline alone (protocol rule 13).
 */
export function RobotStatusBadge({ robot }: { robot: RobotView }) {
  if (robot.lost === null || robot.isChecking) return <PlainStatusBadge robot={robot} />;
  return (
    <span className={classes["badges"]}>
      <StateBadge look={lostLook[robot.lost.state]} />
      <PlainStatusBadge robot={robot} />
    </span>
  );
}

function PlainStatusBadge({ robot }: { robot: RobotView }) {
  if (robot.mode === "maintenance") return <StateBadge look={maintenanceLook} />;
  const look = robotStatusLook[robot.status];
  return robot.isChecking ? <StateBadge look={look} label={CHECKING_LABEL} checking /> : <StateBadge look={look} />;
}

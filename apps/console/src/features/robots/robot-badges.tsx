import { VisuallyHidden } from "@mantine/core";
import { batteryLevelOf } from "@suncrew/domain/robots/battery.ts";
import { IconBolt } from "@tabler/icons-react";
import { StateBadge } from "../../ui/state-badge.tsx";
import classes from "./robot-badges.module.css";
import {
  awaitsFirstConnection,
  batteryColour,
  batteryWord,
  CHECKING_LABEL,
  firstConnectionLook,
  lostLook,
  maintenanceLook,
  robotStatusLook,
} from "./robot-looks.ts";
import type { RobotView } from "./robot-view.ts";

/**
 * A robot's status in a list or grid; only the lock if it is in maintenance, which is always offline (§4). A robot
 * that was lost while moving is never shown as merely offline (protocol rule 13).
 */
export function RobotStatusBadge({ robot }: { robot: RobotView }) {
  const badge =
    robot.mode === "maintenance" ? <StateBadge look={maintenanceLook} /> : <LiveStatusBadge robot={robot} />;
  if (robot.lost === null || robot.isChecking) return badge;
  return (
    <span className={classes["badges"]}>
      <StateBadge look={lostLook[robot.lost.state]} />
      {badge}
    </span>
  );
}

/** Only the status; CHECKING... until something is known (§2). */
export function LiveStatusBadge({ robot }: { robot: RobotView }) {
  const look = awaitsFirstConnection(robot) ? firstConnectionLook : robotStatusLook[robot.status];
  return robot.isChecking ? <StateBadge look={look} label={CHECKING_LABEL} checking /> : <StateBadge look={look} />;
}

/** Battery icon and percentage in the battery's colours (§9) for lists and grids; grey if the reading is old. */
export function RobotBatteryBadge({ robot }: { robot: RobotView }) {
  const battery = batteryOf(robot);
  if (battery === null) return <UnknownBattery className={classes["battery"]} />;
  return (
    <span className={classes["battery"]} data-old={robot.isStale || undefined}>
      <span className={classes["cell"]} aria-hidden>
        <span className={classes["charge"]} style={battery.fill} />
      </span>
      {robot.isCharging && <IconBolt size={12} aria-label="Charging" />}
      <VisuallyHidden>Battery </VisuallyHidden>
      {battery.percent} %<VisuallyHidden>, {battery.word}</VisuallyHidden>
    </span>
  );
}

/** The same as a bar across a card. */
export function RobotBattery({ robot }: { robot: RobotView }) {
  const battery = batteryOf(robot);
  if (battery === null) return <UnknownBattery className={classes["meter"]} />;
  return (
    <div className={classes["meter"]}>
      <div
        className={classes["track"]}
        role="meter"
        aria-label="Battery"
        aria-valuenow={battery.percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={`${battery.percent} %, ${battery.word}`}
      >
        <div className={classes["fill"]} style={battery.fill} />
      </div>
      <span className={classes["percent"]} data-old={robot.isStale || undefined}>
        {robot.isCharging && <IconBolt size={12} aria-label="Charging" />}
        {battery.percent} %
      </span>
    </div>
  );
}

interface RunBarProps {
  /** "SCR-1004": whose run it is. */
  readonly of: string;
  /** How much of it is over; undefined for a run that has no planned end. */
  readonly percent: number | undefined;
  readonly className?: string | undefined;
}

/** How far a planned run is, as a bar; nothing for any other. The text beside it says the same. */
export function RunBar({ of, percent, className = "" }: RunBarProps) {
  if (percent === undefined) return null;
  return (
    <span
      className={`${classes["run"]} ${className}`}
      role="progressbar"
      aria-label={`Run of ${of}`}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={`${percent} %`}
    >
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}

function batteryOf({ batteryPercent, isStale }: RobotView) {
  if (batteryPercent === null) return null;
  const percent = Math.round(batteryPercent);
  const level = batteryLevelOf(batteryPercent);
  return {
    percent,
    word: isStale ? "old reading" : batteryWord[level],
    fill: { width: `${percent}%`, background: isStale ? "var(--sc-border-strong)" : batteryColour[level] },
  };
}

/** A dash for a robot that has never reported its battery. */
function UnknownBattery({ className }: { className: string | undefined }) {
  return (
    <span className={className} data-old>
      <VisuallyHidden>Battery not known yet</VisuallyHidden>
      <span aria-hidden>–</span>
    </span>
  );
}

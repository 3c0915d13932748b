import { batteryLevelOf } from "@suncrew/domain/robots/battery.ts";
import { IconBolt } from "@tabler/icons-react";
import { NoBattery } from "./no-battery.tsx";
import classes from "./robot-card.module.css";
import { batteryColour, batteryWord } from "./robot-meaning.ts";
import type { RobotView } from "./robot-view.ts";

/** Battery bar and percentage in the battery's colours; grey where the reading is old, a dash where there is none. */
export function RobotBattery({ robot }: { robot: RobotView }) {
  if (robot.batteryPercent === null) return <NoBattery className={classes["battery"]} />;
  const percent = Math.round(robot.batteryPercent);
  const level = batteryLevelOf(robot.batteryPercent);
  const colour = robot.isStale ? "var(--sc-border-strong)" : batteryColour[level];
  const spoken = `${percent} %, ${robot.isStale ? "old reading" : batteryWord[level]}`;
  return (
    <div className={classes["battery"]}>
      <div
        className={classes["track"]}
        role="meter"
        aria-label="Battery"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={spoken}
      >
        <div className={classes["fill"]} style={{ width: `${percent}%`, background: colour }} />
      </div>
      <span className={`${classes["percent"]} ${robot.isStale ? classes["old"] : ""}`}>
        {robot.isCharging && <IconBolt size={12} aria-label="Charging" />}
        {percent} %
      </span>
    </div>
  );
}

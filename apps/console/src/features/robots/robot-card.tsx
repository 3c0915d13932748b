import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { memo, useState } from "react";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useNow } from "../../ui/use-now.ts";
import { robotActivityOf } from "./robot-activity.ts";
import { RobotBattery } from "./robot-battery.tsx";
import { MaintenanceNote } from "../maintenance/public.ts";
import { LastCleaningLine, RunNotBegunLine } from "../runs/public.ts";
import classes from "./robot-card.module.css";
import { RobotControls } from "./robot-controls.tsx";
import { autoLook, CHECKING_LABEL, lostLook, maintenanceLook, manualLook, robotStatusLook } from "./robot-meaning.ts";
import { RobotAlerts, RobotInfo } from "./robot-popovers.tsx";
import { alarmOf, type RobotView } from "./robot-view.ts";
import { useRobotView } from "./use-robot-view.ts";

const RobotSettingsDialog = lazyDialog(
  ({ robot }) => `Robot settings: ${robot.serialNumber}`,
  async () => {
    return (await import("./robot-settings-dialog.tsx")).RobotSettingsDialog;
  },
);

export interface RobotCardProps {
  readonly row: RobotWithSettings;
  readonly onRefresh: (row: RobotWithSettings) => void;
}

/** §2 Individual Robots tab: one robot. It renders for its own robot's changes alone. */
export const RobotCard = memo(function RobotCard({ row, onRefresh }: RobotCardProps) {
  const robot = useRobotView(row);
  const [isSettingsOpen, setSettingsOpen] = useState(false);
  const look = robotStatusLook[robot.status];
  return (
    <article className={classes["card"]} aria-label={robot.serialNumber} data-alarm={alarmOf(robot) ?? undefined}>
      <div className={classes["row"]}>
        <div className={classes["title"]}>
          <h3 className={classes["serial"]}>{robot.serialNumber}</h3>
          <span className={classes["motor"]}>{robot.motorType ?? "Motor type not given"}</span>
        </div>
        <div className={classes["badges"]}>
          <StateBadge look={robot.groupId === null ? manualLook : autoLook} />
          {robot.mode === "maintenance" && <StateBadge look={maintenanceLook} />}
          {robot.lost !== null && <StateBadge look={lostLook[robot.lost.state]} />}
          {robot.isChecking ? <StateBadge look={look} label={CHECKING_LABEL} checking /> : <StateBadge look={look} />}
        </div>
      </div>
      <div className={classes["row"]}>
        <RobotBattery robot={robot} />
        <RobotAlerts robot={robot} />
        <RobotInfo robot={robot} />
      </div>
      <ActivityLine robot={robot} />
      {robot.mode === "maintenance" && robot.maintenance !== null ? (
        <MaintenanceNote robot={robot} />
      ) : (
        <p className={classes["last"]}>
          {robot.runNotBegun === null ? (
            <LastCleaningLine lastRun={robot.lastRun} />
          ) : (
            <RunNotBegunLine run={robot.runNotBegun} />
          )}
        </p>
      )}
      <RobotControls robot={robot} onRefresh={() => onRefresh(row)} onSettings={() => setSettingsOpen(true)} />
      {isSettingsOpen && <RobotSettingsDialog robot={robot} onClose={() => setSettingsOpen(false)} />}
    </article>
  );
});

/** What the robot does, and when that was last true. */
function ActivityLine({ robot }: { robot: RobotView }) {
  const activity = robotActivityOf(robot, useNow());
  return (
    <p className={classes["activity"]} data-kind={activity.kind}>
      <strong>{activity.text}</strong>
      <span className={classes["said"]}>
        <Said robot={robot} />
      </span>
    </p>
  );
}

function Said({ robot }: { robot: RobotView }) {
  if (robot.mock !== null) return `Last reading: ${robot.mock.timestamp}`;
  if (robot.lastUpdatedAt === null) return "Has not reported yet";
  const at = <RelativeTime at={robot.lastUpdatedAt.toISOString()} />;
  return robot.isStale ? <>Last reading {at}</> : <>Confirmed {at}</>;
}

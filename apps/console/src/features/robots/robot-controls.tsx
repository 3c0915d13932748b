import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import type { BlockedReason } from "@suncrew/domain/robots/robot-can.ts";
import { wasSeenMoving } from "@suncrew/domain/robots/lost-while-moving.ts";
import { IconPlayerPlayFilled, IconPlayerStopFilled, IconRefresh, IconSettings } from "@tabler/icons-react";
import { useId } from "react";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { RobotMaintenanceButton } from "../maintenance/public.ts";
import { DirectionToggle } from "./direction-toggle.tsx";
import { commandRobot } from "./robot-calls.ts";
import classes from "./robot-card.module.css";
import { KEPT_STOP, obstacleWords } from "./robot-meaning.ts";
import { controllableOf } from "./robot-view.ts";
import type { RobotView } from "./robot-view.ts";

export interface RobotControlsProps {
  readonly robot: RobotView;
  readonly onRefresh: () => void;
  readonly onSettings: () => void;
}

/** §4 Button enabling: Start and Stop, direction, refresh, settings and maintenance; a disabled one says why. Stop never asks. */
export function RobotControls({ robot, onRefresh, onSettings }: RobotControlsProps) {
  const { role } = useSignedIn();
  const controllable = controllableOf(robot);
  const told = (obstacle: BlockedReason | null) => (obstacle === null ? null : obstacleWords(robot, obstacle));
  const stopObstacle = robotCan.stop(controllable);
  // Stop stands out where something moves or is about to.
  const isMotionAhead = wasSeenMoving(robot.motion) || controllable.stopTakesOver === true;
  const keptId = useId();
  // Once one is kept, the card says so by itself.
  const isStopKept = robot.lost !== null && stopObstacle === null && robot.openCommand?.verb !== "STOP";
  const maySettings = robotCan.changeSettings(controllable, role) === null;

  return (
    <div className={classes["controls"]}>
      {isStopKept && (
        <p id={keptId} className={classes["kept"]}>
          {KEPT_STOP}
        </p>
      )}
      <div className={classes["deeds"]}>
        <DisabledReason reason={told(robotCan.start(controllable))}>
          <Button
            size="xs"
            variant="light"
            leftSection={<IconPlayerPlayFilled size={14} aria-hidden />}
            onClick={() => void commandRobot(robot, "START")}
          >
            Start
          </Button>
        </DisabledReason>
        <DisabledReason reason={told(stopObstacle)}>
          <Button
            size="xs"
            color="red"
            variant={stopObstacle === null && isMotionAhead ? "filled" : "light"}
            leftSection={<IconPlayerStopFilled size={14} aria-hidden />}
            aria-describedby={isStopKept ? keptId : undefined}
            onClick={() => void commandRobot(robot, "STOP")}
          >
            Stop
          </Button>
        </DisabledReason>
      </div>
      <div className={classes["tools"]}>
        <DirectionToggle robot={robot} />
        <Tooltip label="Refresh status">
          <ActionIcon
            variant="default"
            size={30}
            aria-label="Refresh status"
            // Not `loading`, which disables it: a poll by itself must not take the focus away.
            aria-busy={robot.refresh !== null}
            onClick={onRefresh}
          >
            <IconRefresh size={16} aria-hidden className={robot.refresh !== null ? classes["turning"] : undefined} />
          </ActionIcon>
        </Tooltip>
        {maySettings && (
          <Tooltip label="Settings">
            <ActionIcon variant="default" size={30} aria-label="Settings" aria-haspopup="dialog" onClick={onSettings}>
              <IconSettings size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
        <RobotMaintenanceButton robot={robot} />
      </div>
    </div>
  );
}

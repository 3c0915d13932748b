import { Button, Tooltip, UnstyledButton, VisuallyHidden } from "@mantine/core";
import type { CleaningDirection } from "@suncrew/contract/robots/robots.ts";
import { directionWord } from "@suncrew/domain/activity/activity-words.ts";
import { wasSeenMoving } from "@suncrew/domain/robots/lost-while-moving.ts";
import { type BlockedReason, robotCan } from "@suncrew/domain/robots/robot-can.ts";
import { IconPlayerPlayFilled, IconPlayerStopFilled, IconRefresh, IconSettings } from "@tabler/icons-react";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { RobotMaintenanceButton } from "../maintenance/public.ts";
import { changeDirection, commandRobot } from "./robot-calls.ts";
import shared from "../../ui/shared.module.css";
import classes from "./robot-card.module.css";
import { blockedReasonText, PENDING_STOP_TEXT } from "./robot-looks.ts";
import { controllableOf, type RobotView } from "./robot-view.ts";

interface RobotControlsProps {
  readonly robot: RobotView;
  readonly onRefresh: () => void;
  readonly onSettings: () => void;
}

/**
 * §4 Button enabling: Start and Stop, direction, refresh, settings and maintenance; a disabled one says why. Stop never
 * asks.
 */
export function RobotControls({ robot, onRefresh, onSettings }: RobotControlsProps) {
  const { role } = useSignedIn();
  const controllable = controllableOf(robot);
  const reasonOf = (blockedReason: BlockedReason | null) =>
    blockedReason === null ? null : blockedReasonText(robot, blockedReason);
  const stopBlockedReason = robotCan.stop(controllable);
  // Stop is prominent while something moves or is about to.
  const isMotionAhead = wasSeenMoving(robot.motion) || controllable.stopTakesOver === true;
  const pendingStopId = useId();
  // Once one is pending, the card says so anyway.
  const willStopBePending = robot.lost !== null && stopBlockedReason === null && robot.openCommand?.verb !== "STOP";
  const maySettings = robotCan.changeSettings(controllable, role) === null;

  return (
    <div className={classes["controls"]}>
      {willStopBePending && (
        <p id={pendingStopId} className={shared["pendingStop"]}>
          {PENDING_STOP_TEXT}
        </p>
      )}
      <div className={shared["commands"]}>
        <DisabledReason reason={reasonOf(robotCan.start(controllable))}>
          <Button
            size="xs"
            variant="light"
            leftSection={<IconPlayerPlayFilled size={14} aria-hidden />}
            onClick={() => void commandRobot(robot, "START")}
          >
            Start
          </Button>
        </DisabledReason>
        <DisabledReason reason={reasonOf(stopBlockedReason)}>
          <Button
            size="xs"
            color="red"
            variant={stopBlockedReason === null && isMotionAhead ? "filled" : "light"}
            leftSection={<IconPlayerStopFilled size={14} aria-hidden />}
            aria-describedby={willStopBePending ? pendingStopId : undefined}
            onClick={() => void commandRobot(robot, "STOP")}
          >
            Stop
          </Button>
        </DisabledReason>
      </div>
      <div className={classes["tools"]}>
        <DirectionToggle robot={robot} />
        <IconButton
          label="Refresh status"
          icon={IconRefresh}
          isTurning={robot.refresh !== null}
          // Not `loading`, which disables it: an automatic poll must not take the focus away.
          aria-busy={robot.refresh !== null}
          onClick={onRefresh}
        />
        {maySettings && <IconButton label="Settings" icon={IconSettings} aria-haspopup="dialog" onClick={onSettings} />}
        <RobotMaintenanceButton robot={robot} />
      </div>
    </div>
  );
}

/** FWD or REV on the toggle, in the order they are drawn. */
const DIRECTIONS: readonly { readonly direction: CleaningDirection; readonly label: string }[] = [
  { direction: "FORWARD", label: "FWD" },
  { direction: "REVERSE", label: "REV" },
];

/** §2 Direction toggle; shows the requested direction until the robot confirms it. */
function DirectionToggle({ robot }: { robot: RobotView }) {
  const [requested, setRequested] = useState<CleaningDirection | null>(null);
  const isSaving = requested !== null;
  const group = useRef<HTMLDivElement>(null);
  const reasonId = useId();
  const blockedReason = robotCan.toggleDirection(controllableOf(robot));
  const reason = isSaving
    ? "Waiting for the robot to confirm."
    : blockedReason === null
      ? null
      : blockedReasonText(robot, blockedReason);
  const shown = requested ?? robot.cleaningDirection;

  const choose = async (direction: CleaningDirection) => {
    if (reason !== null || direction === shown) return;
    setRequested(direction);
    await changeDirection(robot, direction);
    setRequested(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    const other = shown === "FORWARD" ? "REVERSE" : "FORWARD";
    group.current?.querySelector<HTMLElement>(`[data-direction="${other}"]`)?.focus();
    void choose(other);
  };

  return (
    <Tooltip label={reason ?? `Cleaning direction: ${directionWord[shown]}`}>
      <div
        ref={group}
        className={classes["direction"]}
        role="radiogroup"
        aria-label="Direction"
        aria-describedby={reason === null ? undefined : reasonId}
        aria-disabled={reason !== null}
        aria-busy={isSaving}
      >
        {DIRECTIONS.map(({ direction, label }) => (
          <UnstyledButton
            key={direction}
            role="radio"
            className={`${shared["muted"]} ${classes["option"]}`}
            data-direction={direction}
            aria-checked={shown === direction}
            aria-disabled={reason !== null}
            tabIndex={shown === direction ? 0 : -1}
            onClick={() => void choose(direction)}
            onKeyDown={onKeyDown}
          >
            {label}
          </UnstyledButton>
        ))}
        {reason !== null && <VisuallyHidden id={reasonId}>{reason}</VisuallyHidden>}
      </div>
    </Tooltip>
  );
}

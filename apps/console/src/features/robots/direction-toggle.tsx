import { Tooltip, UnstyledButton, VisuallyHidden } from "@mantine/core";
import type { CleaningDirection } from "@suncrew/contract/robots/robots.ts";
import { directionWord } from "@suncrew/domain/activity/activity-words.ts";
import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import { useId, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import classes from "./robot-card.module.css";
import { obstacleWords } from "./robot-meaning.ts";
import { changeDirection } from "./robot-settings-calls.ts";
import { controllableOf } from "./robot-view.ts";
import type { RobotView } from "./robot-view.ts";

/** FWD or REV on the toggle, in the order they are drawn. */
const WAYS: readonly { readonly direction: CleaningDirection; readonly label: string }[] = [
  { direction: "FORWARD", label: "FWD" },
  { direction: "REVERSE", label: "REV" },
];

/** What the robot confirmed is shown this long, whatever older word of the stream is still on its way. */
const STREAM_CATCHES_UP_MS = 2_000;

/** §2 Direction toggle; shows the wanted way while the robot has yet to confirm it. */
export function DirectionToggle({ robot }: { robot: RobotView }) {
  const [wanted, setWanted] = useState<CleaningDirection | null>(null);
  const [isSaving, setSaving] = useState(false);
  const settled = useRef<ReturnType<typeof setTimeout>>(undefined);
  const group = useRef<HTMLDivElement>(null);
  const reasonId = useId();
  const obstacle = robotCan.toggleDirection(controllableOf(robot));
  const reason = isSaving
    ? "Waiting for the robot to confirm."
    : obstacle === null
      ? null
      : obstacleWords(robot, obstacle);
  const shown = wanted ?? robot.cleaningDirection;

  const choose = async (direction: CleaningDirection) => {
    if (reason !== null || direction === shown) return;
    clearTimeout(settled.current);
    setWanted(direction);
    setSaving(true);
    const isConfirmed = await changeDirection(robot, direction);
    setSaving(false);
    if (isConfirmed) settled.current = setTimeout(() => setWanted(null), STREAM_CATCHES_UP_MS);
    else setWanted(null);
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
        {WAYS.map(({ direction, label }) => (
          <UnstyledButton
            key={direction}
            role="radio"
            className={classes["way"]}
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

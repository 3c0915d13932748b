import { Button } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { groupCan } from "@suncrew/domain/groups/group-can.ts";
import { IconPlayerPlayFilled, IconPlayerStopFilled } from "@tabler/icons-react";
import { useId, type ReactNode } from "react";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import type { RobotView } from "../robots/public.ts";
import type { GroupAction } from "./group-action-store.ts";
import classes from "./group-card.module.css";
import { groupObstacleSentence, keptStopText, STILL_ASKING } from "./group-meaning.ts";
import { isCommandUnderWay, isStartUnderWay } from "./group-progress.ts";
import { useGroupOrder } from "./use-group-order.tsx";

export interface GroupControlsProps {
  readonly group: Group;
  readonly rows: readonly RobotWithSettings[];
  readonly members: readonly RobotView[];
  /** Every member has told how it is. */
  readonly isKnown: boolean;
  /** This browser's order under way. */
  readonly action: GroupAction | null;
  /** The buttons Schedule and Maintenance. */
  readonly tools: ReactNode;
}

/** §2 Group Control tab: Schedule, Maintenance, Start All and Stop All; a disabled one says why. Stop All never asks. */
export function GroupControls({ group, rows, members, isKnown, action, tools }: GroupControlsProps) {
  const { order, dialog } = useGroupOrder(group, rows);
  const startObstacle = groupCan.startAll(members, action !== null || isCommandUnderWay(members));
  const isStarting = action?.verb === "START" || isStartUnderWay(members);
  // Robots that have not told how they are may move: then Stop All is never in question.
  const stopObstacle = isKnown ? groupCan.stopAll(members, isStarting) : null;
  const startReason = startObstacle === null ? null : groupObstacleSentence[startObstacle];
  const lostCount = members.filter(({ lost }) => lost !== null).length;
  const keptId = useId();
  return (
    <div className={classes["controls"]}>
      {lostCount > 0 && (
        <p id={keptId} className={classes["kept"]}>
          {keptStopText(lostCount)}
        </p>
      )}
      <div className={classes["tools"]}>{tools}</div>
      <div className={classes["deeds"]}>
        <DisabledReason reason={isKnown ? startReason : STILL_ASKING}>
          <Button
            size="xs"
            variant="light"
            leftSection={<IconPlayerPlayFilled size={14} aria-hidden />}
            aria-haspopup="dialog"
            onClick={() => order("START", null)}
          >
            Start All
          </Button>
        </DisabledReason>
        <DisabledReason reason={stopObstacle === null ? null : groupObstacleSentence[stopObstacle]}>
          <Button
            size="xs"
            color="red"
            variant={stopObstacle === null ? "filled" : "light"}
            leftSection={<IconPlayerStopFilled size={14} aria-hidden />}
            aria-describedby={lostCount > 0 ? keptId : undefined}
            onClick={() => order("STOP", null)}
          >
            Stop All
          </Button>
        </DisabledReason>
      </div>
      {dialog}
    </div>
  );
}

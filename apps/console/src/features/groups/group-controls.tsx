import { Button, CloseButton, Group as Row } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { groupCan, groupOutcomeOf, groupSuccessMessage, robotCountText } from "@suncrew/domain/groups/groups.ts";
import { IconPlayerPlayFilled, IconPlayerStopFilled, IconRefresh } from "@tabler/icons-react";
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { RobotResultList, type StartOrStop, groupOutcomeTitle } from "../commands/public.ts";
import type { RobotView } from "../robots/public.ts";
import shared from "../../ui/shared.module.css";
import classes from "./group-card.module.css";
import { sendGroupCommand, type GroupAction, setGroupAction } from "./group-commands.ts";
import { StartAllDialog } from "./lazy-groups.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import {
  groupBlockedReasonText,
  isCommandUnderWay,
  isStartUnderWay,
  pendingStopText,
  STATUS_UNKNOWN_TEXT,
  verbTexts,
} from "./group-looks.ts";

interface GroupControlsProps {
  readonly group: Group;
  readonly rows: readonly RobotWithSettings[];
  readonly members: readonly RobotView[];
  /** The status of every member is known. */
  readonly isKnown: boolean;
  /** This browser's command in progress. */
  readonly action: GroupAction | null;
  /** The buttons Schedule and Maintenance. */
  readonly tools: ReactNode;
}

/**
 * §2 Group Control tab: Schedule, Maintenance, Start All and Stop All; a disabled one says why. Stop All never asks.
 */
export function GroupControls({ group, rows, members, isKnown, action, tools }: GroupControlsProps) {
  const { send, dialog } = useGroupCommand(group, rows);
  const startBlockedReason = groupCan.startAll(members, action !== null || isCommandUnderWay(members));
  const isStarting = action?.verb === "START" || isStartUnderWay(members);
  // Robots of unknown status may be moving: Stop All is always enabled then.
  const stopBlockedReason = isKnown ? groupCan.stopAll(members, isStarting) : null;
  const startReason =
    startBlockedReason === null
      ? null
      : ((startBlockedReason === "weather" ? members[0]?.badWeather : null) ??
        groupBlockedReasonText[startBlockedReason]);
  const lostCount = members.filter(({ lost }) => lost !== null).length;
  const pendingStopId = useId();
  return (
    <Row gap={6} align="stretch">
      {lostCount > 0 && (
        <p id={pendingStopId} className={shared["pendingStop"]}>
          {pendingStopText(lostCount)}
        </p>
      )}
      <div className={`${shared["touchAll"]} ${classes["tools"]}`}>{tools}</div>
      <div className={shared["commands"]}>
        <DisabledReason reason={isKnown ? startReason : STATUS_UNKNOWN_TEXT}>
          <ToolButton
            icon={IconPlayerPlayFilled}
            variant="light"
            aria-haspopup="dialog"
            onClick={() => send("START", null)}
          >
            Start All
          </ToolButton>
        </DisabledReason>
        <DisabledReason reason={stopBlockedReason === null ? null : groupBlockedReasonText[stopBlockedReason]}>
          <Button
            size="xs"
            color="red"
            variant={stopBlockedReason === null ? "filled" : "light"}
            leftSection={<IconPlayerStopFilled size={14} aria-hidden />}
            aria-describedby={lostCount > 0 ? pendingStopId : undefined}
            onClick={() => send("STOP", null)}
          >
            Stop All
          </Button>
        </DisabledReason>
      </div>
      {dialog}
    </Row>
  );
}

interface GroupResultProps {
  readonly group: Group;
  readonly rows: readonly RobotWithSettings[];
  readonly action: GroupAction;
}

/** Shown if not every robot succeeded: which and why, and a retry for only those. */
export function GroupResult({ group, rows, action }: GroupResultProps) {
  const { verb, results, failure } = action;
  const { send, dialog } = useGroupCommand(group, rows);
  const section = useFocusToCard();
  const failed = results.filter(({ outcome }) => outcome !== "SUCCESS");
  const members = new Set(group.robots.map(({ id }) => id));
  // A robot that has left the group since is not commanded with it.
  const retried = (failure === null ? failed.map((result) => result.robotObjectId) : action.robotIds).filter((id) =>
    members.has(id),
  );
  const { imperative, done } = verbTexts[verb];
  return (
    <section ref={section} className={classes["result"]} aria-label={`Result for ${group.group_name}`}>
      <Row gap={8} justify="space-between" wrap="nowrap" fz={13} fw={600}>
        {groupOutcomeTitle[groupOutcomeOf(results)]}
        <CloseButton size="sm" aria-label="Close result" onClick={() => setGroupAction(group.id, null)} />
      </Row>
      {failure === null ? (
        <>
          <p className={classes["resultText"]}>{groupSuccessMessage(results, done)}</p>
          <div className={classes["resultList"]} tabIndex={0}>
            <RobotResultList
              label={`Robots of ${group.group_name} that were not ${done}`}
              results={failed}
              doneText={() => `Has ${done} since.`}
            />
          </div>
        </>
      ) : (
        <p className={classes["resultText"]}>{failure}</p>
      )}
      {retried.length > 0 && (
        <Button
          size="compact-sm"
          mt={6}
          variant="default"
          leftSection={<IconRefresh size={14} aria-hidden />}
          onClick={() => send(verb, retried)}
        >
          {imperative} {robotCountText(retried.length)} again
        </Button>
      )}
      {dialog}
    </section>
  );
}

/** When the result is closed or retried, the focus moves to its card. */
function useFocusToCard(): RefObject<HTMLElement | null> {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const card = section.current?.closest("article");
    return () => {
      setTimeout(() => {
        if (document.activeElement === document.body) card?.focus({ preventScroll: true });
      });
    };
  }, []);
  return section;
}

interface GroupCommandSender {
  /** Stop is sent at once; Start asks for confirmation. `only` names the members of a retry, null is for all. */
  readonly send: (verb: StartOrStop, only: readonly number[] | null) => void;
  /** The confirmation, to be rendered. */
  readonly dialog: ReactNode;
}

/** Commands for a group: a Start first shows which robots will move, a Stop never asks. */
function useGroupCommand(group: Group, rows: readonly RobotWithSettings[]): GroupCommandSender {
  const [confirming, setConfirming] = useState<{ readonly only: readonly number[] | null } | null>(null);
  const send = (verb: StartOrStop, only: readonly number[] | null) => {
    if (verb === "START") setConfirming({ only });
    else void sendGroupCommand({ group, verb, only });
  };
  const dialog = confirming !== null && (
    <StartAllDialog
      title={`Start all robots of "${group.group_name}"?`}
      rows={confirming.only === null ? rows : rows.filter((row) => confirming.only?.includes(row.robot_id))}
      onClose={() => setConfirming(null)}
      onStart={() => {
        setConfirming(null);
        void sendGroupCommand({ group, verb: "START", only: confirming.only });
      }}
    />
  );
  return { send, dialog };
}

import { Button, CloseButton } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { groupCan, groupOutcomeOf, groupSuccessMessage } from "@suncrew/domain/groups/groups.ts";
import { IconPlayerPlayFilled, IconPlayerStopFilled, IconRefresh } from "@tabler/icons-react";
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { RobotResultList, type StartOrStop } from "../commands/public.ts";
import type { RobotView } from "../robots/public.ts";
import classes from "./group-card.module.css";
import { commandGroup, type GroupAction, setGroupAction } from "./group-commands.ts";
import {
  groupObstacleSentence,
  groupOutcomeTitle,
  isCommandUnderWay,
  isStartUnderWay,
  keptStopText,
  robotsText,
  STILL_ASKING,
  verbWords,
} from "./group-meaning.ts";

interface GroupControlsProps {
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

interface GroupResultProps {
  readonly group: Group;
  readonly rows: readonly RobotWithSettings[];
  readonly action: GroupAction;
}

/** What came of an order where not every robot succeeded: who and why, and another try for those alone. */
export function GroupResult({ group, rows, action }: GroupResultProps) {
  const { verb, results, failure } = action;
  const { order, dialog } = useGroupOrder(group, rows);
  const section = useFocusToCard();
  const failed = results.filter(({ outcome }) => outcome !== "SUCCESS");
  const members = new Set(group.robots.map(({ id }) => id));
  // Who has left the group meanwhile is not commanded with it any more.
  const again = (failure === null ? failed.map((result) => result.robotObjectId) : action.robotIds).filter((id) =>
    members.has(id),
  );
  const { deed, done } = verbWords[verb];
  return (
    <section ref={section} className={classes["result"]} aria-label={`Result for ${group.group_name}`}>
      <div className={classes["resultHead"]}>
        {groupOutcomeTitle[groupOutcomeOf(results)]}
        <CloseButton size="sm" aria-label="Close result" onClick={() => setGroupAction(group.id, null)} />
      </div>
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
      {again.length > 0 && (
        <Button
          size="compact-sm"
          mt={6}
          variant="default"
          leftSection={<IconRefresh size={14} aria-hidden />}
          onClick={() => order(verb, again)}
        >
          {deed} {robotsText(again.length)} again
        </Button>
      )}
      {dialog}
    </section>
  );
}

/** A result that goes away, closed or tried again, leaves the focus with its card. */
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

const StartAllDialog = lazyDialog(
  ({ group }) => `Start all robots of "${group.group_name}"?`,
  async () => (await import("./start-all-dialog.tsx")).StartAllDialog,
);

interface GroupOrdering {
  /** Stop goes out at once; Start asks first. `only` names the members of a retry, null is for all. */
  readonly order: (verb: StartOrStop, only: readonly number[] | null) => void;
  /** The question's place. */
  readonly dialog: ReactNode;
}

/** Orders for a group: a Start says first which robots will move, a Stop never asks. */
function useGroupOrder(group: Group, rows: readonly RobotWithSettings[]): GroupOrdering {
  const [asked, setAsked] = useState<{ readonly only: readonly number[] | null } | null>(null);
  const order = (verb: StartOrStop, only: readonly number[] | null) => {
    if (verb === "START") setAsked({ only });
    else void commandGroup({ group, verb, only });
  };
  const dialog = asked !== null && (
    <StartAllDialog
      group={group}
      rows={asked.only === null ? rows : rows.filter((row) => asked.only?.includes(row.robot_id))}
      onClose={() => setAsked(null)}
      onStart={() => {
        setAsked(null);
        void commandGroup({ group, verb: "START", only: asked.only });
      }}
    />
  );
  return { order, dialog };
}

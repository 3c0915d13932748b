import { Button, CloseButton } from "@mantine/core";
import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { successSentences, groupOutcomeOf } from "@suncrew/domain/groups/group-outcome.ts";
import { IconRefresh } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import type { RefObject } from "react";
import { RobotResultList } from "../commands/public.ts";
import { setGroupAction } from "./group-action-store.ts";
import type { GroupAction } from "./group-action-store.ts";
import classes from "./group-card.module.css";
import { groupOutcomeTitle, robotsText, verbWords } from "./group-meaning.ts";
import { useGroupOrder } from "./use-group-order.tsx";

export interface GroupResultProps {
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
          <p className={classes["resultText"]}>{successSentences(results, done)}</p>
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

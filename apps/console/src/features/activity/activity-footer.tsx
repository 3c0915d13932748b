import { Button } from "@mantine/core";
import type { ActivityList, ActivityListState } from "./activity-list.ts";
import classes from "./activity-page.module.css";

const number = new Intl.NumberFormat("en-US");

export interface ActivityFooterProps {
  readonly state: ActivityListState;
  readonly isNever: boolean;
  readonly list: ActivityList;
}

/** §2: 'Showing X of Y activities' and 'Data refreshed automatically'. X are loaded, Y match search and filters. */
export function ActivityFooter({ state, isNever, list }: ActivityFooterProps) {
  const { rows, total, isTotalExact, isCounting } = state;
  const isKnown = state.state === "ready" || isNever;
  const all = isNever ? "0" : `${number.format(total)}${isTotalExact ? "" : "+"}`;
  return (
    <footer className={classes["footer"]}>
      <span className={classes["counted"]}>
        {isKnown && `Showing ${number.format(isNever ? 0 : rows.length)} of ${all} activities`}
        {isKnown && !isTotalExact && !isNever && (
          <Button size="compact-xs" variant="subtle" loading={isCounting} onClick={() => void list.countAll()}>
            Count exactly
          </Button>
        )}
      </span>
      <span>Data refreshed automatically</span>
    </footer>
  );
}

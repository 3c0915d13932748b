import { Button } from "@mantine/core";
import { IconArrowUp } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef } from "react";
import { ACTIVITY_COLUMNS } from "./activity-columns.tsx";
import type { ActivityList, ActivityListState } from "./activity-list.ts";
import classes from "./activity-table.module.css";

const ROW_PX = 40;
const HEAD_PX = 36;
/** The next page is asked for when so few rows are left below. */
const AHEAD_ROWS = 80;

const template = { gridTemplateColumns: ACTIVITY_COLUMNS.map(({ widthPx }) => `${widthPx}px`).join(" ") };

export interface ActivityTableProps {
  readonly state: ActivityListState;
  readonly list: ActivityList;
  /** The rows are still those of the filter before. */
  readonly isOld: boolean;
}

/** §9: 2000 px wide and 470 px high, newest first; of its rows only those in sight exist. */
export function ActivityTable({ state, list, isOld }: ActivityTableProps) {
  const { rows, hasMore, more, waiting, isWaitingMore } = state;
  const scroll = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- the console is not built with the compiler
  const virtualizer = useVirtualizer({
    count: rows.length + (hasMore ? 1 : 0),
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
    paddingStart: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
    initialRect: { width: 1400, height: 470 },
  });
  const shown = virtualizer.getVirtualItems();
  const lastIndex = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && more === "idle" && !isOld && lastIndex > rows.length - AHEAD_ROWS) void list.loadMore();
  }, [list, hasMore, more, isOld, lastIndex, rows.length]);
  // Another filter begins at its newest row.
  useLayoutEffect(() => {
    scroll.current?.scrollTo({ top: 0 });
    list.setAtNewest(true);
  }, [list]);
  const toNewest = () => {
    list.showWaiting();
    scroll.current?.scrollTo({ top: 0 });
    scroll.current?.focus({ preventScroll: true });
  };

  return (
    <div className={classes["frame"]}>
      {/* oxlint-disable jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
      <div
        ref={scroll}
        className={classes["scroll"]}
        role="region"
        aria-label="Activity log, scrollable"
        aria-busy={isOld}
        tabIndex={0}
        onScroll={(event) => list.setAtNewest(event.currentTarget.scrollTop < ROW_PX / 2)}
      >
        {/* oxlint-enable jsx-a11y/no-noninteractive-tabindex */}
        <div
          className={classes["table"]}
          role="table"
          aria-label="Activity log"
          aria-rowcount={state.isTotalExact ? state.total + 1 : -1}
          data-old={isOld || undefined}
          style={{ height: virtualizer.getTotalSize() }}
        >
          <div role="rowgroup" className={classes["head"]}>
            <div role="row" aria-rowindex={1} className={classes["names"]} style={{ ...template, height: HEAD_PX }}>
              {ACTIVITY_COLUMNS.map(({ name, isNumber }) => (
                <span key={name} role="columnheader" data-number={isNumber}>
                  {name}
                </span>
              ))}
            </div>
          </div>
          <div role="rowgroup">
            {shown.map(({ index, start }) => {
              const entry = rows[index];
              const place = { top: start, height: ROW_PX };
              if (entry === undefined) return <MoreRow key="more" place={place} more={more} list={list} />;
              return (
                <div
                  key={entry.log_id}
                  className={classes["row"]}
                  role="row"
                  aria-rowindex={index + 2}
                  style={{ ...template, ...place }}
                >
                  {ACTIVITY_COLUMNS.map(({ name, isNumber, cell }) => (
                    <span key={name} role="cell" className={classes["cell"]} data-number={isNumber}>
                      {cell(entry)}
                    </span>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
      {waiting > 0 && (
        <Button
          size="compact-sm"
          radius="xl"
          className={classes["new"]}
          leftSection={<IconArrowUp size={14} aria-hidden />}
          onClick={toNewest}
        >
          {waiting}
          {isWaitingMore && "+"} new
        </Button>
      )}
    </div>
  );
}

interface MoreRowProps {
  readonly place: { readonly top: number; readonly height: number };
  readonly more: ActivityListState["more"];
  readonly list: ActivityList;
}

/** Stands where older rows will be. */
function MoreRow({ place, more, list }: MoreRowProps) {
  return (
    <div className={classes["row"]} role="row" style={place}>
      <span role="cell" className={classes["more"]}>
        {more === "failed" ? (
          <>
            Older activities could not be loaded.
            <Button size="compact-xs" variant="default" onClick={() => void list.loadMore()}>
              Retry
            </Button>
          </>
        ) : (
          "Loading older activities..."
        )}
      </span>
    </div>
  );
}

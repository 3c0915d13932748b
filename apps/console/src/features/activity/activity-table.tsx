import { Button } from "@mantine/core";
import type { ActivityEntry } from "@suncrew/contract/activity/activity.ts";
import { actionTypeWord, actionWord, directionWord } from "@suncrew/domain/activity/activity-words.ts";
import { IconArrowUp } from "@tabler/icons-react";
import { type ReactNode, useEffect, useLayoutEffect } from "react";
import { Link } from "react-router";
import { paths } from "../../platform/paths.ts";
import { browserZone, exactTimeText } from "../../ui/exact-time-text.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useVirtualRows } from "../../ui/virtual-rows.ts";
import { outcomeLook } from "./activity-looks.ts";
import shared from "../../ui/shared.module.css";
import classes from "./activity-page.module.css";
import type { ListedActivity } from "./activity-page.tsx";

interface ActivityColumn {
  readonly name: string;
  readonly widthPx: number;
  readonly isNumber?: true;
  readonly cell: (entry: ActivityEntry) => ReactNode;
}

/** §2 Activity Log page: the columns in order; §9: 2000 px wide in total. */
const ACTIVITY_COLUMNS: readonly ActivityColumn[] = [
  {
    name: "Timestamp",
    widthPx: 180,
    cell: ({ created_at }) => (
      <time dateTime={created_at} title={`${exactTimeText(new Date(created_at))} (${browserZone()})`}>
        {exactTimeText(new Date(created_at))}
      </time>
    ),
  },
  { name: "Action", widthPx: 80, cell: ({ action }) => actionWord[action] },
  { name: "Action Type", widthPx: 110, cell: ({ action_type }) => actionTypeWord[action_type] },
  { name: "UserName", widthPx: 160, cell: ({ user_name }) => <Cut text={user_name} /> },
  { name: "Status", widthPx: 110, cell: ({ status }) => <StateBadge look={outcomeLook[status]} /> },
  { name: "Site", widthPx: 210, cell: ({ site_name }) => <Cut text={site_name} /> },
  {
    name: "Serial Number",
    widthPx: 130,
    cell: ({ serial_number, created_at }) => (
      <Link
        to={paths.robot(serial_number, { at: created_at })}
        className={`${shared["truncate"]} ${classes["robot"]}`}
        title={`${serial_number} at that time`}
      >
        {serial_number}
      </Link>
    ),
  },
  { name: "Mode", widthPx: 90, cell: ({ paramsObj }) => paramsObj.mode },
  {
    name: "Details",
    widthPx: 560,
    cell: ({ details, sample }) => (
      <>
        <Cut text={details} />
        {sample && <span className={shared["tag"]}>Sample data</span>}
      </>
    ),
  },
  { name: "Direction", widthPx: 110, cell: ({ paramsObj }) => directionWord[paramsObj.direction] },
  { name: "Main Speed", widthPx: 130, isNumber: true, cell: ({ paramsObj }) => `${paramsObj["main-speed"]} %` },
  { name: "Brush Speed", widthPx: 130, isNumber: true, cell: ({ paramsObj }) => `${paramsObj["brush-speed"]} %` },
];

/** Text that may be longer than its column; complete on hover and for a screen reader. */
function Cut({ text }: { readonly text: string }) {
  return (
    <span className={shared["truncate"]} title={text}>
      {text}
    </span>
  );
}

const ROW_PX = 40;
const HEAD_PX = 36;
/** The next page is loaded once fewer rows than this are left below. */
const AHEAD_ROWS = 80;

const template = { gridTemplateColumns: ACTIVITY_COLUMNS.map(({ widthPx }) => `${widthPx}px`).join(" ") };

/** §9: 2000 px wide and 470 px high, newest first; only the visible rows are rendered. */
export function ActivityTable({ list }: { readonly list: ListedActivity }) {
  const { filter, rows, isOld, hasMore, more, waiting, isWaitingMore, loadMore, setAtNewest } = list;
  const {
    scroll,
    rows: shown,
    totalPx,
  } = useVirtualRows({
    count: rows.length + (hasMore ? 1 : 0),
    rowPx: ROW_PX,
    headPx: HEAD_PX,
    initialHeightPx: 470,
    overscan: 10,
  });
  const lastIndex = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && more === "idle" && !isOld && lastIndex > rows.length - AHEAD_ROWS) loadMore();
  });
  // Another filter starts at its newest row.
  useLayoutEffect(() => {
    scroll.current?.scrollTo({ top: 0 });
    setAtNewest(true);
    // oxlint-disable-next-line react/exhaustive-deps -- on another filter only
  }, [filter]);
  const toNewest = () => {
    list.showWaiting();
    scroll.current?.scrollTo({ top: 0 });
    scroll.current?.focus({ preventScroll: true });
  };

  return (
    <>
      {/* oxlint-disable jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
      <div
        ref={scroll}
        className={`${shared["inset"]} ${classes["scroll"]}`}
        role="region"
        aria-label="Activity log, scrollable"
        aria-busy={isOld}
        tabIndex={0}
        onScroll={(event) => setAtNewest(event.currentTarget.scrollTop < ROW_PX / 2)}
      >
        {/* oxlint-enable jsx-a11y/no-noninteractive-tabindex */}
        <div
          className={classes["table"]}
          role="table"
          aria-label="Activity log"
          aria-rowcount={list.isTotalExact ? (list.total ?? 0) + 1 : -1}
          data-old={isOld || undefined}
          style={{ height: totalPx }}
        >
          <div role="rowgroup" className={classes["head"]}>
            <div
              role="row"
              aria-rowindex={1}
              className={`${shared["columnNames"]} ${classes["names"]}`}
              style={{ ...template, height: HEAD_PX }}
            >
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
              if (entry === undefined) return <MoreRow key="more" place={place} list={list} />;
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
    </>
  );
}

interface MoreRowProps {
  readonly place: { readonly top: number; readonly height: number };
  readonly list: ListedActivity;
}

/** Shown in place of the older rows until they are loaded. */
function MoreRow({ place, list: { more, loadMore } }: MoreRowProps) {
  return (
    <div className={classes["row"]} role="row" style={place}>
      <span role="cell" className={classes["more"]}>
        {more === "failed" ? (
          <>
            Older activities could not be loaded.
            <Button size="compact-xs" variant="default" onClick={loadMore}>
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

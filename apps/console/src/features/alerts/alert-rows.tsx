import { Button, UnstyledButton } from "@mantine/core";
import type { Alert } from "@suncrew/contract/alerts/alerts.ts";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { AcknowledgeButton } from "./acknowledge-button.tsx";
import { subjectOf } from "./acknowledge.ts";
import { severityLook } from "./alert-meaning.ts";
import classes from "./alert-rows.module.css";

const ROW_PX = 52;
const CARD_PX = 132;
/** The next page is asked for when so few rows are left below. */
const AHEAD_ROWS = 30;

export interface AlertRowsProps {
  readonly alerts: readonly Alert[];
  /** On a phone each alert is a small card. */
  readonly isNarrow: boolean;
  /** They are still those of the filter before. */
  readonly isOld: boolean;
  readonly more: "there" | "failed" | "none";
  readonly onMore: () => void;
  readonly onSelect: (alert: Alert) => void;
}

/** The list: of its rows only those in sight exist. */
export function AlertRows({ alerts, isNarrow, isOld, more, onMore, onSelect }: AlertRowsProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const rowPx = isNarrow ? CARD_PX : ROW_PX;
  // oxlint-disable-next-line react/incompatible-library -- the console is not built with the compiler
  const virtualizer = useVirtualizer({
    count: alerts.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 8,
    initialRect: { width: 1000, height: 560 },
  });
  const shown = virtualizer.getVirtualItems();
  const lastIndex = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more === "there" && !isOld && lastIndex > alerts.length - AHEAD_ROWS) onMore();
  }, [more, isOld, lastIndex, alerts.length, onMore]);
  return (
    <>
      {/* oxlint-disable jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
      <div
        ref={scroll}
        className={classes["scroll"]}
        role="region"
        aria-label="Alerts, scrollable"
        aria-busy={isOld}
        tabIndex={0}
      >
        {/* oxlint-enable jsx-a11y/no-noninteractive-tabindex */}
        <ul className={classes["rows"]} data-old={isOld || undefined} style={{ height: virtualizer.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const alert = alerts[index];
            if (alert === undefined) return null;
            return (
              <li
                key={alert.id}
                ref={virtualizer.measureElement}
                data-index={index}
                className={classes["row"]}
                data-narrow={isNarrow || undefined}
                aria-setsize={more === "none" ? alerts.length : -1}
                aria-posinset={index + 1}
                style={{ top: start, minHeight: rowPx }}
              >
                <AlertCells alert={alert} onSelect={onSelect} />
              </li>
            );
          })}
        </ul>
      </div>
      {more === "failed" && (
        <p className={classes["failed"]} role="alert">
          Further alerts could not be loaded.
          <Button size="compact-xs" variant="default" onClick={onMore}>
            Retry
          </Button>
        </p>
      )}
    </>
  );
}

function AlertCells({ alert, onSelect }: { readonly alert: Alert } & Pick<AlertRowsProps, "onSelect">) {
  const { severity, text, raised_at, cleared_at, times, sample } = alert;
  return (
    <>
      <span className={classes["badge"]}>
        <StateBadge look={severityLook[severity]} />
      </span>
      <span className={classes["since"]}>
        <RelativeTime at={raised_at} />
        {cleared_at !== null && (
          <span className={classes["cleared"]}>
            Cleared <RelativeTime at={cleared_at} />
          </span>
        )}
      </span>
      <span className={classes["who"]}>
        {alert.site_id === null ? (
          <span className={classes["subject"]}>{subjectOf(alert)}</span>
        ) : (
          <RobotAndSite alert={alert} onSelect={onSelect} />
        )}
      </span>
      <span className={classes["text"]} data-whole={alert.site_id === null || undefined} title={text}>
        {text}
        {times > 1 && <span className={classes["mark"]}>{times} times</span>}
        {sample && <span className={classes["mark"]}>Sample</span>}
      </span>
      <span className={classes["seen"]}>
        {alert.acknowledged_by !== null ? (
          <>Acknowledged by {alert.acknowledged_by}</>
        ) : cleared_at === null ? (
          <AcknowledgeButton alert={alert} />
        ) : (
          "Not acknowledged"
        )}
      </span>
    </>
  );
}

function RobotAndSite({ alert, onSelect }: { readonly alert: Alert } & Pick<AlertRowsProps, "onSelect">) {
  const { serial_number, robot_name, site_name } = alert;
  return (
    <>
      <UnstyledButton className={classes["subject"]} onClick={() => onSelect(alert)}>
        {serial_number ?? "Whole site"}
        {robot_name !== null && robot_name !== serial_number && <span className={classes["name"]}> {robot_name}</span>}
      </UnstyledButton>
      <UnstyledButton className={classes["site"]} onClick={() => onSelect(alert)}>
        {site_name}
      </UnstyledButton>
    </>
  );
}

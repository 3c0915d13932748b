import { Box, Button, Group, SegmentedControl, Skeleton } from "@mantine/core";
import {
  type HistorySpan,
  historySpanSchema,
  type RobotHistory,
  robotHistory,
} from "@suncrew/contract/robot-history/robot-history.ts";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { useIsNarrow } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { useNow } from "../../ui/use-now.ts";
import { Cell, VirtualTable } from "../../ui/virtual-table.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./history.module.css";
import { partsOf, percentText, shareText } from "./history-model.ts";
import pageClasses from "./robot-page.module.css";
import { useRobotUrl } from "./robot-url.ts";

const CHARTS_PX = 430;

const HistoryCharts = lazyPart(async () => (await import("./history-charts.tsx")).HistoryCharts, {
  waiting: <Skeleton height={CHARTS_PX} />,
  failed: (failure) => <FailedPart title="The charts could not be loaded." failure={failure} />,
});

const spanWord: Record<HistorySpan, string> = { "24h": "24 hours", "7d": "7 days", "30d": "30 days" };
const DAY_MS = 86_400_000;
const spanMs: Record<HistorySpan, number> = { "24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS };
/** While it shows the present, it is read again this often, in milliseconds. */
const REFRESH_MS = 60_000;

interface HistoryCardProps {
  readonly robotId: number;
  readonly timezone: string;
}

/** Battery, speeds, motion and what happened, on one time axis; or the same as a table. */
export function HistoryCard({ robotId, timezone }: HistoryCardProps) {
  const { state, change } = useRobotUrl();
  const { span, at } = state;
  const [isTable, setTable] = useState(false);
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (at !== null) card.current?.scrollIntoView({ block: "start" });
  }, [at]);
  const now = useNow();
  const query = useQuery({
    ...routeQuery(robotHistory, { params: { robotId }, query: { span, ...(at !== null && { at }) } }),
    placeholderData: keepPreviousData,
    refetchInterval: at === null ? REFRESH_MS : false,
  });
  const shift = (by: number) => {
    const middleMs = (at === null ? now.getTime() - spanMs[span] / 2 : Date.parse(at)) + by * spanMs[span];
    const isNow = middleMs + spanMs[span] / 2 >= now.getTime();
    change({ at: isNow ? null : new Date(middleMs).toISOString() }, "push");
  };
  const time = (iso: string) => siteTimeText(new Date(iso), timezone, now);
  return (
    <section
      ref={card}
      className={`${shared["card"]} ${pageClasses["section"]} ${classes["card"]}`}
      aria-label="History"
    >
      <div className={pageClasses["head"]}>
        <h2 className={shared["title"]}>History</h2>
        <Group gap={8} className={shared["touchAll"]}>
          <SegmentedControl
            size="xs"
            aria-label="Time shown"
            value={span}
            data={historySpanSchema.options.map((value) => ({ value, label: spanWord[value] }))}
            onChange={(value) => change({ span: historySpanSchema.parse(value) }, "push")}
          />
          <Group gap={4}>
            <IconButton label="Earlier" icon={IconChevronLeft} onClick={() => shift(-1)} />
            {at !== null && <IconButton label="Later" icon={IconChevronRight} onClick={() => shift(1)} />}
            {at !== null && (
              <Button size="xs" variant="default" onClick={() => change({ at: null }, "push")}>
                Now
              </Button>
            )}
          </Group>
          <Button size="xs" variant="default" aria-pressed={isTable} onClick={() => setTable((was) => !was)}>
            {isTable ? "Show charts" : "Show as table"}
          </Button>
        </Group>
      </div>
      <QueryState
        query={query}
        loading={<Skeleton height={CHARTS_PX} role="status" aria-label="Loading the history" />}
        failed="The history could not be loaded."
      >
        {(history) => (
          <div aria-busy={query.isPlaceholderData}>
            <p className={classes["facts"]}>
              <span>
                {time(history.from)} to {time(history.to)}
              </span>
              <span>
                {history.uptime_percent === null ? (
                  "Uptime not known"
                ) : (
                  <>
                    <strong>{percentText(history.uptime_percent)}</strong> uptime
                  </>
                )}
              </span>
              {history.sample && <span className={shared["tag"]}>Sample</span>}
            </p>
            {isSilent(history) ? (
              <EmptyState
                title="Nothing was reported in this time."
                message="The robot was not connected, or its readings are no longer kept."
              />
            ) : isTable ? (
              <HistoryTable history={history} />
            ) : (
              <HistoryCharts history={history} at={at} />
            )}
          </div>
        )}
      </QueryState>
    </section>
  );
}

function isSilent({ battery_mean, runs, alerts, locks }: RobotHistory): boolean {
  return runs.length + alerts.length + locks.length === 0 && battery_mean.every((value) => value === null);
}

const COLUMNS = [
  "Time",
  "Battery",
  "Lowest to highest",
  "Moving",
  "Main motor",
  "Brush motor",
  "Connected",
  "What happened",
];

/** Every part of the span with its values; what has no report is left out. */
function HistoryTable({ history }: { readonly history: RobotHistory }) {
  const isNarrow = useIsNarrow();
  const now = useNow();
  const rows = partsOf(history).filter(({ battery, happened }) => battery !== null || happened !== "");
  return (
    <Box display="flex" style={{ flexDirection: "column" }}>
      <VirtualTable
        label="History"
        columns={COLUMNS}
        rows={rows.toReversed()}
        keyOf={({ beginsMs }) => beginsMs}
        rowPx={isNarrow ? 84 : 36}
        isNarrow={isNarrow}
        className={classes["table"]}
        rowClassName={classes["tableRow"]}
      >
        {(part) => (
          <>
            <Cell area="time">{siteTimeText(new Date(part.beginsMs), history.timezone, now)}</Cell>
            <Cell area="battery">{part.battery === null ? "No report" : percentText(part.battery)}</Cell>
            <Cell area="range">
              {part.least === null || part.most === null
                ? ""
                : `${percentText(part.least)} to ${percentText(part.most)}`}
            </Cell>
            <Cell area="moving">
              {part.moving === null ? "" : `${isNarrow ? "Moving " : ""}${shareText(part.moving)}`}
            </Cell>
            <Cell area="main">{part.main === null ? "" : `${isNarrow ? "Main " : ""}${percentText(part.main)}`}</Cell>
            <Cell area="brush">
              {part.brush === null ? "" : `${isNarrow ? "Brush " : ""}${percentText(part.brush)}`}
            </Cell>
            <Cell area="connected">
              {part.connected === null ? "" : `${isNarrow ? "Connected " : ""}${shareText(part.connected)}`}
            </Cell>
            <Cell area="happened" isCut title={part.happened}>
              {part.happened}
            </Cell>
          </>
        )}
      </VirtualTable>
    </Box>
  );
}

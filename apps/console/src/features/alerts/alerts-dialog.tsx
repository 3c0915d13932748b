import { Box, Button, Group, NativeSelect, SegmentedControl, UnstyledButton } from "@mantine/core";
import { type Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import type { SentQueryOf } from "@suncrew/contract/http/route.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { IconCircleCheck, IconX } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { Link } from "react-router";
import { call } from "../../platform/api/call.ts";
import { pagedQuery } from "../../platform/api/paged-query.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { liveStore } from "../../platform/live/live.ts";
import { paths } from "../../platform/paths.ts";
import { QueryState } from "../../platform/query-state.tsx";
import type { UrlState } from "../../platform/url-params.tsx";
import { Dialog, useIsNarrow } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { AcknowledgeButton, subjectOf } from "./acknowledge-button.tsx";
import { emptyTexts, SEVERITIES, severityLook, stateWord } from "./alert-looks.ts";
import shared from "../../ui/shared.module.css";
import classes from "./alerts-dialog.module.css";
import { ALERT_STATES, type AlertsUrl, useAlertsUrl } from "./alerts-url.ts";
import { WhoWasTold } from "./who-was-told.tsx";

export interface AlertsDialogProps {
  /** Shows the site of an alert; that closes the list. */
  readonly onSelect: (alert: Alert) => void;
  readonly onClose: () => void;
}

/** All alerts of the robots and sites that the user may see, filtered by the URL. */
export function AlertsDialog({ onSelect, onClose }: AlertsDialogProps) {
  const url = useAlertsUrl();
  const isNarrow = useIsNarrow();
  const query = useAlertPages(url.state);
  const alerts = query.data?.pages.flatMap((page) => page.alerts) ?? [];
  const { total = 0, total_exact: isExact = true } = query.data?.pages[0] ?? {};
  return (
    <Dialog onClose={onClose} title="Alerts" size={1080} fullScreenBelow="48em" isColumn>
      <Filters url={url} />
      <div className={classes["list"]}>
        <QueryState
          query={query}
          loading={<SkeletonLines label="Loading alerts" lines={7} lineHeightPx={48} />}
          failed="The alerts could not be loaded."
        >
          {() =>
            alerts.length === 0 ? (
              <NoAlerts url={url} />
            ) : (
              <AlertRows
                alerts={alerts}
                isNarrow={isNarrow}
                isOld={query.isPlaceholderData}
                more={query.hasNextPage ? (query.isFetchNextPageError ? "failed" : "available") : "none"}
                onMore={() => void query.fetchNextPage()}
                onSelect={onSelect}
              />
            )
          }
        </QueryState>
      </div>
      <Box component="p" mih={18} mt={8} fz={12} lh="18px" c="dimmed" role="status">
        {query.data !== undefined &&
          `${total.toLocaleString("en-GB")}${isExact ? "" : "+"} ${total === 1 ? "alert" : "alerts"}`}
      </Box>
    </Dialog>
  );
}

function Filters({ url: { state: filters, change } }: { readonly url: UrlState<AlertsUrl> }) {
  const sites = useQuery(routeQuery(siteDetails, {})).data ?? [];
  const { state, severity, siteId, robotId } = filters;
  const robot = robotId === null ? null : (liveStore.robot(robotId)?.serial_number ?? "One robot");
  return (
    <Group gap={8} mb={12}>
      <SegmentedControl
        size="xs"
        aria-label="Show"
        value={state}
        data={ALERT_STATES.map((value) => ({ value, label: stateWord[value] }))}
        onChange={(value) => change({ state: ALERT_STATES.find((each) => each === value) ?? "open" }, "replace")}
      />
      <NativeSelect
        size="xs"
        aria-label="Filter by severity"
        value={severity ?? ""}
        data={[
          { value: "", label: "All severities" },
          ...SEVERITIES.map((value) => ({ value, label: severityLook[value].label })),
        ]}
        onChange={({ currentTarget }) =>
          change({ severity: SEVERITIES.find((each) => each === currentTarget.value) ?? null }, "replace")
        }
      />
      <NativeSelect
        size="xs"
        aria-label="Filter by site"
        value={siteId ?? ""}
        data={[{ value: "", label: "All sites" }, ...sites.map(({ id, name }) => ({ value: String(id), label: name }))]}
        onChange={({ currentTarget: { value } }) =>
          change({ siteId: value === "" ? null : Number(value), robotId: null }, "replace")
        }
      />
      {robot !== null && (
        <Button
          size="xs"
          variant="default"
          rightSection={<IconX size={14} aria-hidden />}
          aria-label={`Robot ${robot}: show all robots`}
          onClick={() => change({ robotId: null }, "replace")}
        >
          {robot}
        </Button>
      )}
    </Group>
  );
}

function NoAlerts({ url: { state: filters, change } }: { readonly url: UrlState<AlertsUrl> }) {
  const { state, severity, siteId, robotId } = filters;
  const isFiltered = severity !== null || siteId !== null || robotId !== null;
  if (!isFiltered) return <EmptyState title={emptyTexts[state]} icon={<IconCircleCheck size={32} stroke={1.5} />} />;
  const everything = { severity: null, siteId: null, robotId: null };
  return (
    <EmptyState
      title="No alerts match the filters."
      icon={<IconCircleCheck size={32} stroke={1.5} />}
      action={
        <Button size="xs" variant="default" onClick={() => change(everything, "replace")}>
          Show all alerts
        </Button>
      }
    />
  );
}

const PAGE = 100;

export function useAlertPages({ state, severity, siteId, robotId }: AlertsUrl) {
  const filter: SentQueryOf<typeof alertList> = {
    state,
    limit: PAGE,
    servers: "true",
    ...(severity !== null && { severity }),
    ...(siteId !== null && { site_id: siteId }),
    ...(robotId !== null && { robot_id: robotId }),
  };
  return useInfiniteQuery(pagedQuery(alertList, filter, (query, signal) => call(alertList, { query }, { signal })));
}

const ROW_PX = 52;
const CARD_PX = 132;
/** The next page is loaded once fewer rows than this are left below. */
const AHEAD_ROWS = 30;

export interface AlertRowsProps {
  readonly alerts: readonly Alert[];
  /** On a phone each alert is a small card. */
  readonly isNarrow: boolean;
  /** They are still those of the previous filter. */
  readonly isOld: boolean;
  readonly more: "available" | "failed" | "none";
  readonly onMore: () => void;
  readonly onSelect: (alert: Alert) => void;
}

/** The list: only the visible rows are rendered. */
export function AlertRows({ alerts, isNarrow, isOld, more, onMore, onSelect }: AlertRowsProps) {
  const loadAhead = useCallback(
    (lastIndex: number) => {
      if (more === "available" && !isOld && lastIndex > alerts.length - AHEAD_ROWS) onMore();
    },
    [more, isOld, alerts.length, onMore],
  );
  return (
    <>
      <VirtualList
        label="Alerts, scrollable"
        items={alerts}
        keyOf={({ id }) => id}
        rowPx={isNarrow ? CARD_PX : ROW_PX}
        measured
        className={`${shared["inset"]} ${classes["scroll"]}`}
        rowClassName={classes["row"]}
        isNarrow={isNarrow}
        isOld={isOld}
        hasMore={more !== "none"}
        onLastIndex={loadAhead}
      >
        {(alert) => <AlertCells alert={alert} onSelect={onSelect} />}
      </VirtualList>
      {more === "failed" && (
        <Box component="p" display="flex" mt={8} fz={13} style={{ gap: 12, alignItems: "center" }} role="alert">
          Further alerts could not be loaded.
          <Button size="compact-xs" variant="default" onClick={onMore}>
            Retry
          </Button>
        </Box>
      )}
    </>
  );
}

function AlertCells({ alert, onSelect }: { readonly alert: Alert } & Pick<AlertRowsProps, "onSelect">) {
  const { severity, text, raised_at, cleared_at, times, sample, comment = null } = alert;
  return (
    <>
      <span className={classes["badge"]}>
        <StateBadge look={severityLook[severity]} />
      </span>
      <span className={classes["since"]}>
        <RelativeTime at={raised_at} />
        {cleared_at !== null && (
          <span className={shared["muted"]}>
            Cleared <RelativeTime at={cleared_at} />
          </span>
        )}
      </span>
      <span className={classes["who"]}>
        {alert.site_id === null ? (
          <span className={`${shared["truncate"]} ${classes["subject"]}`}>{subjectOf(alert)}</span>
        ) : (
          <RobotAndSite alert={alert} onSelect={onSelect} />
        )}
      </span>
      <span className={classes["text"]} data-full={alert.site_id === null || undefined} title={text}>
        {text}
        {times > 1 && <span className={`${shared["tag"]} ${classes["mark"]}`}>{times} times</span>}
        {sample && <span className={`${shared["tag"]} ${classes["mark"]}`}>Sample</span>}
      </span>
      <span className={`${shared["muted"]} ${classes["seen"]}`} data-commented={comment !== null || undefined}>
        {alert.acknowledged_by !== null ? (
          <>
            Acknowledged by {alert.acknowledged_by}
            {comment === null ? "" : `: ${comment}`}
          </>
        ) : cleared_at === null ? (
          <AcknowledgeButton alert={alert} />
        ) : (
          "Not acknowledged"
        )}
      </span>
      <WhoWasTold alert={alert} className={classes["toldButton"]} />
    </>
  );
}

function RobotAndSite({ alert, onSelect }: { readonly alert: Alert } & Pick<AlertRowsProps, "onSelect">) {
  const { serial_number, robot_name, site_name, raised_at } = alert;
  const subject = `${shared["truncate"]} ${classes["subject"]}`;
  return (
    <>
      {serial_number === null ? (
        <UnstyledButton className={subject} onClick={() => onSelect(alert)}>
          Whole site
        </UnstyledButton>
      ) : (
        <UnstyledButton component={Link} to={paths.robot(serial_number, { at: raised_at })} className={subject}>
          {serial_number}
          {robot_name !== null && robot_name !== serial_number && (
            <span className={shared["muted"]}> {robot_name}</span>
          )}
        </UnstyledButton>
      )}
      <UnstyledButton
        className={`${shared["muted"]} ${shared["truncate"]} ${classes["site"]}`}
        onClick={() => onSelect(alert)}
      >
        {site_name}
      </UnstyledButton>
    </>
  );
}

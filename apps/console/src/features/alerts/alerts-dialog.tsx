import { Button, NativeSelect, SegmentedControl } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { Alert } from "@suncrew/contract/alerts/alerts.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { IconCircleCheck, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { liveStore } from "../../platform/live/live.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { emptyWords, SEVERITIES, severityLook, stateWord } from "./alert-meaning.ts";
import { AlertRows } from "./alert-rows.tsx";
import type { UrlState } from "../../platform/url-params.tsx";
import { ALERT_STATES, type AlertsUrl, useAlertsUrl } from "./alerts-url.ts";
import classes from "./alerts-dialog.module.css";
import { useAlertPages } from "./use-alert-pages.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryState } from "../../platform/query-state.tsx";

export interface AlertsDialogProps {
  /** Shows the robot or site of an alert; the list is closed with it. */
  readonly onSelect: (alert: Alert) => void;
  readonly onClose: () => void;
}

/** Every alert of the robots and sites that one may see, as the URL filters them. */
export function AlertsDialog({ onSelect, onClose }: AlertsDialogProps) {
  const url = useAlertsUrl();
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const query = useAlertPages(url.state);
  const alerts = query.data?.pages.flatMap((page) => page.alerts) ?? [];
  const { total = 0, total_exact: isExact = true } = query.data?.pages[0] ?? {};
  return (
    <Dialog
      onClose={onClose}
      title="Alerts"
      size={1080}
      fullScreenBelow="48em"
      classNames={{ body: classes["body"] ?? "", content: classes["content"] ?? "" }}
    >
      <Filters url={url} />
      <div className={classes["list"]}>
        <QueryState
          query={query}
          loading={<SkeletonLines label="Loading alerts" lines={7} lineHeightPx={48} />}
          failed="The alerts could not be loaded."
        >
          {() =>
            alerts.length === 0 ? (
              <Nothing url={url} />
            ) : (
              <AlertRows
                alerts={alerts}
                isNarrow={isNarrow}
                isOld={query.isPlaceholderData}
                more={query.hasNextPage ? (query.isFetchNextPageError ? "failed" : "there") : "none"}
                onMore={() => void query.fetchNextPage()}
                onSelect={onSelect}
              />
            )
          }
        </QueryState>
      </div>
      <p className={classes["footer"]} role="status">
        {query.data !== undefined &&
          `${total.toLocaleString("en")}${isExact ? "" : "+"} ${total === 1 ? "alert" : "alerts"}`}
      </p>
    </Dialog>
  );
}

function Filters({ url: { state: filters, change } }: { readonly url: UrlState<AlertsUrl> }) {
  const sites = useQuery(routeQuery(siteDetails, {})).data ?? [];
  const { state, severity, siteId, robotId } = filters;
  const robot = robotId === null ? null : (liveStore.robot(robotId)?.serial_number ?? "One robot");
  return (
    <div className={classes["filters"]}>
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
          { value: "", label: "Every severity" },
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
    </div>
  );
}

function Nothing({ url: { state: filters, change } }: { readonly url: UrlState<AlertsUrl> }) {
  const { state, severity, siteId, robotId } = filters;
  const isFiltered = severity !== null || siteId !== null || robotId !== null;
  if (!isFiltered) return <EmptyState title={emptyWords[state]} icon={<IconCircleCheck size={32} stroke={1.5} />} />;
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

import { Anchor, Button, Tabs } from "@mantine/core";
import { type Alert, alertList } from "@suncrew/contract/alerts/alerts.ts";
import {
  type RobotChanges,
  robotChanges,
  type RobotLock,
  type RobotOrder,
  robotOrders,
} from "@suncrew/contract/robot-history/robot-history.ts";
import { type Run, runsList } from "@suncrew/contract/runs/runs.ts";
import { activityStatusWord, directionWord } from "@suncrew/domain/activity/activity-words.ts";
import { IconAlertOctagon, IconCircleCheck, IconCpu, IconHandStop, IconSettings, IconTool } from "@tabler/icons-react";
import { type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { call } from "../../platform/api/call.ts";
import { pagedQuery } from "../../platform/api/paged-query.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { OlderButton } from "../../platform/paged-list.tsx";
import { QueryState } from "../../platform/query-state.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { Look } from "../../ui/look.ts";
import { siteTimeText } from "../../ui/site-time-text.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { useNow } from "../../ui/use-now.ts";
import { severityLook, WhoWasTold } from "../alerts/public.ts";
import { waitingLook } from "../commands/public.ts";
import { elapsedText, runLook, startedByText } from "../runs/public.ts";
import shared from "../../ui/shared.module.css";
import classes from "./robot-page.module.css";
import { RECORD_TABS, type RecordTab, useMomentLink, useRobotUrl } from "./robot-url.ts";

interface RecordsProps {
  readonly robotId: number;
  /** The version that it runs. */
  readonly firmware: string;
  readonly timezone: string;
}

const tabWord: Record<RecordTab, string> = {
  runs: "Runs",
  alerts: "Alerts",
  commands: "Commands",
  maintenance: "Maintenance",
  firmware: "Firmware",
  settings: "Settings",
};

/** What is on record about a robot, newest first: each kind in a tab, read when it is first shown. */
export function RecordsCard(props: RecordsProps) {
  const { state, change } = useRobotUrl();
  return (
    <section className={`${shared["card"]} ${classes["section"]}`} aria-label="Records">
      <Tabs
        value={state.tab}
        keepMounted={false}
        onChange={(next) => change({ tab: RECORD_TABS.find((tab) => tab === next) ?? "runs" }, "replace")}
      >
        <Tabs.List className={shared["touchAll"]}>
          {RECORD_TABS.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {tabWord[tab]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={state.tab} className={classes["panel"]}>
          <Records tab={state.tab} {...props} />
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}

function Records({ tab, ...props }: RecordsProps & { readonly tab: RecordTab }) {
  switch (tab) {
    case "runs":
      return <RunRecords {...props} />;
    case "alerts":
      return <AlertRecords {...props} />;
    case "commands":
      return <OrderRecords {...props} />;
    case "maintenance":
    case "firmware":
    case "settings":
      return <Changes kind={tab} {...props} />;
  }
}

const PAGE = 20;
const loading = <SkeletonLines label="Loading records" lines={5} lineHeightPx={36} />;

function RunRecords({ robotId, timezone }: RecordsProps) {
  const filter = { robot_id: robotId, limit: PAGE };
  const list = useInfiniteQuery(pagedQuery(runsList, filter, (query, signal) => call(runsList, { query }, { signal })));
  const row = (run: Run) => {
    const at = run.began_at ?? run.due_at ?? run.ended_at;
    const lasted = run.began_at !== null && run.ended_at !== null ? `${elapsedText(run.began_at, run.ended_at)}. ` : "";
    const by = run.action_type === "SCHEDULED" ? startedByText.SCHEDULED : `Started by ${run.started_by}`;
    return (
      <Row key={run.id} look={runLook(run.outcome)} at={at} timezone={timezone}>
        {lasted}
        {by}
        {run.group_name === null ? "" : `, ${run.group_name}`}.{run.reason === null ? "" : ` ${run.reason}`}
      </Row>
    );
  };
  return (
    <Paged list={list} empty="No runs yet" failed="The runs could not be loaded.">
      {list.data?.pages.flatMap(({ runs }) => runs).map(row)}
    </Paged>
  );
}

function AlertRecords({ robotId, timezone }: RecordsProps) {
  const filter = { robot_id: robotId, state: "all" as const, limit: PAGE };
  const list = useInfiniteQuery(
    pagedQuery(alertList, filter, (query, signal) => call(alertList, { query }, { signal })),
  );
  const row = (alert: Alert) => (
    <Row
      key={alert.id}
      look={severityLook[alert.severity]}
      at={alert.raised_at}
      timezone={timezone}
      more={<WhoWasTold alert={alert} className={classes["told"]} />}
    >
      {alert.text}
      {alert.times > 1 && ` ${alert.times} times.`}{" "}
      <span className={shared["muted"]}>
        {alert.cleared_at === null ? "Open" : `Cleared after ${elapsedText(alert.raised_at, alert.cleared_at)}`}
        {alert.acknowledged_by !== null && `, acknowledged by ${alert.acknowledged_by}`}
      </span>
    </Row>
  );
  return (
    <Paged list={list} empty="No alerts, now or in the past" failed="The alerts could not be loaded.">
      {list.data?.pages.flatMap(({ alerts }) => alerts).map(row)}
    </Paged>
  );
}

const verbWord: Record<RobotOrder["verb"], string> = {
  START: "Start",
  STOP: "Stop",
  SET: "Settings",
  MAINTENANCE_ON: "Maintenance on",
  MAINTENANCE_OFF: "Maintenance off",
};
const statusLook: Record<NonNullable<RobotOrder["status"]>, Look> = {
  SUCCESS: { label: activityStatusWord.SUCCESS, tone: "good", icon: IconCircleCheck },
  FAILED: { label: activityStatusWord.FAILED, tone: "poor", icon: IconAlertOctagon },
  REFUSED: { label: activityStatusWord.REFUSED, tone: "fair", icon: IconHandStop },
};

function OrderRecords({ robotId, timezone }: RecordsProps) {
  const list = useInfiniteQuery(
    pagedQuery(robotOrders, { robotId, limit: PAGE }, ({ robotId: of, ...query }, signal) =>
      call(robotOrders, { params: { robotId: of }, query }, { signal }),
    ),
  );
  const row = ({ key, at, verb, by, status, details }: RobotOrder) => (
    <Row key={key} look={status === null ? waitingLook : statusLook[status]} at={at} timezone={timezone}>
      <strong>{verbWord[verb]}</strong> by {by}. {details}
    </Row>
  );
  return (
    <Paged list={list} empty="No commands yet" failed="The commands could not be loaded.">
      {list.data?.pages.flatMap(({ orders }) => orders).map(row)}
    </Paged>
  );
}

type ChangesKind = "maintenance" | "firmware" | "settings";

const noChanges: Record<ChangesKind, string> = {
  maintenance: "Never in maintenance",
  firmware: "No update was offered",
  settings: "Settings were never changed",
};

function Changes({ kind, robotId, firmware, timezone }: RecordsProps & { readonly kind: ChangesKind }) {
  const query = useQuery(routeQuery(robotChanges, { params: { robotId } }));
  const at = { timezone };
  return (
    <QueryState query={query} loading={loading} failed="The changes could not be loaded.">
      {(changes) => {
        const rows = {
          maintenance: () => changes.locks.map((lock) => <LockRow key={lock.locked_at} lock={lock} {...at} />),
          firmware: () => changes.firmware.map((each) => <FirmwareRow key={each.rollout_id} update={each} {...at} />),
          settings: () => changes.settings.map((each) => <SettingsRow key={each.id} change={each} {...at} />),
        }[kind]();
        return (
          <>
            {kind === "firmware" && <p className={shared["muted"]}>Runs firmware {firmware} now.</p>}
            {rows.length === 0 ? <EmptyState title={noChanges[kind]} /> : <ul className={classes["rows"]}>{rows}</ul>}
          </>
        );
      }}
    </QueryState>
  );
}

interface At {
  readonly timezone: string;
}

function LockRow({ lock, ...at }: At & { readonly lock: RobotLock }) {
  const { reason, locked_by, locked_at, released_at, released_by, confirmed_at } = lock;
  const look: Look = { label: released_at === null ? "Locked" : "Released", tone: "off", icon: IconTool };
  return (
    <Row look={look} at={locked_at} {...at}>
      {reason} <span className={shared["muted"]}>Locked by {locked_by}</span>
      <span className={shared["muted"]}>
        {released_at !== null && `, released by ${released_by} after ${elapsedText(locked_at, released_at)}`}
        {released_at === null && confirmed_at === null && ", not confirmed by the robot"}
      </span>
    </Row>
  );
}

const updateLook: Record<RobotChanges["firmware"][number]["state"], Look> = {
  WAITING: { label: "Waiting", tone: "plain", icon: IconCpu },
  OFFERED: { label: "Offered", tone: "calm", icon: IconCpu },
  DOWNLOADING: { label: "Downloading", tone: "calm", icon: IconCpu },
  INSTALLING: { label: "Installing", tone: "calm", icon: IconCpu },
  DONE: { label: "Done", tone: "good", icon: IconCircleCheck },
  FAILED: { label: "Failed", tone: "poor", icon: IconAlertOctagon },
  SKIPPED: { label: "Left out", tone: "off", icon: IconHandStop },
  CANCELLED: { label: "Cancelled", tone: "off", icon: IconHandStop },
};

function FirmwareRow({ update, ...at }: At & { readonly update: RobotChanges["firmware"][number] }) {
  const { version, from_version, state, offered_at, ended_at, reason } = update;
  return (
    <Row look={updateLook[state]} at={offered_at ?? ended_at} {...at}>
      {from_version === null ? "" : `${from_version} to `}
      <strong>{version}</strong>
      {reason === null ? "" : `. ${reason}`}
    </Row>
  );
}

const settingsLook: Look = { label: "Changed", tone: "calm", icon: IconSettings };

function SettingsRow({ change, ...at }: At & { readonly change: RobotChanges["settings"][number] }) {
  const { before, after } = change;
  const parts = [
    before.main_motor_speed === after.main_motor_speed
      ? null
      : `Main motor ${before.main_motor_speed} % to ${after.main_motor_speed} %`,
    before.brush_motor_speed === after.brush_motor_speed
      ? null
      : `Brush motor ${before.brush_motor_speed} % to ${after.brush_motor_speed} %`,
    before.cleaning_direction === after.cleaning_direction
      ? null
      : `Direction ${directionWord[before.cleaning_direction]} to ${directionWord[after.cleaning_direction]}`,
  ].filter((part) => part !== null);
  return (
    <Row look={settingsLook} at={change.at} {...at}>
      {parts.length === 0 ? "Confirmed without a change" : parts.join(", ")}{" "}
      <span className={shared["muted"]}>by {change.by}</span>
    </Row>
  );
}

interface RowProps extends At {
  readonly look: Look;
  readonly at: string | null;
  readonly children: ReactNode;
  /** A button at the end, and what it opens. */
  readonly more?: ReactNode;
}

function Row({ look, at, timezone, children, more }: RowProps) {
  const now = useNow();
  const momentLink = useMomentLink();
  const time = at === null ? null : siteTimeText(new Date(at), timezone, now);
  return (
    <li className={classes["row"]} data-more={more !== undefined || undefined}>
      <StateBadge look={look} />
      {at === null ? <span>–</span> : <time dateTime={at}>{time}</time>}
      <p>{children}</p>
      {at !== null && (
        <Anchor
          component={Link}
          to={momentLink(at)}
          preventScrollReset
          size="sm"
          className={shared["touch"]}
          aria-label={`Show ${time} in the charts`}
        >
          In the charts
        </Anchor>
      )}
      {more}
    </li>
  );
}

interface PagedProps {
  readonly list: UseInfiniteQueryResult;
  readonly empty: string;
  readonly failed: string;
  readonly children: ReactNode[] | undefined;
}

function Paged({ list, empty, failed, children = [] }: PagedProps) {
  return (
    <QueryState query={list} loading={loading} failed={failed}>
      {() =>
        children.length === 0 ? (
          <EmptyState title={empty} />
        ) : (
          <>
            <ul className={classes["rows"]}>{children}</ul>
            {list.isFetchNextPageError && (
              <p role="alert" className={classes["more"]}>
                Older ones could not be loaded.{" "}
                <Button size="compact-xs" variant="default" onClick={() => void list.fetchNextPage()}>
                  Retry
                </Button>
              </p>
            )}
            <OlderButton list={list} size="xs" className={`${classes["more"]} ${shared["touch"]}`} />
          </>
        )
      }
    </QueryState>
  );
}

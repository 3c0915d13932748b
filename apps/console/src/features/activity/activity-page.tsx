import { Button, NativeSelect, SegmentedControl, Skeleton } from "@mantine/core";
import { type ActivityFilter, activityLogs, exportActivity } from "@suncrew/contract/activity/activity.ts";
import { may } from "@suncrew/domain/auth/permissions.ts";
import { IconHistory, IconLock } from "@tabler/icons-react";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { call, send } from "../../platform/api/call.ts";
import { ExportButton } from "../../platform/export-button.tsx";
import { onLiveEvents } from "../../platform/live/live.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { useUrlParams } from "../../platform/url-params.tsx";
import { endsBeforeItBegins } from "../../ui/days.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FailedState } from "../../ui/failed-state.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { useSearchDraft } from "../../ui/use-search-draft.ts";
import { AuditView } from "../audit/public.ts";
import { ACTION_FILTERS, EVERYTHING, filterOf, furtherFilters, useActivityUrl } from "./activity-filters-url.ts";
import { ActivityFilters } from "./activity-filters.tsx";
import { ActivityList, type ActivityListState } from "./activity-list.ts";
import { actionFilterWord } from "./activity-meaning.ts";
import classes from "./activity-page.module.css";
import { ActivityTable } from "./activity-table.tsx";

const VIEW = "view";

/** §2 Activity Log page. §6: users who are not Super Admins see a refusal, and nothing is requested. */
export function ActivityPage() {
  const { role } = useSignedIn();
  const [params, change] = useUrlParams();
  if (!may(role, "viewActivity")) {
    return (
      <PageLayout title="Activity Log">
        <div className={classes["panel"]}>
          <EmptyState
            title="Access Denied"
            message="This page is only accessible to Super Administrators."
            icon={<IconLock size={32} stroke={1.5} />}
          />
        </div>
      </PageLayout>
    );
  }
  const view = params.get(VIEW) === "audit" ? "audit" : "activity";
  return (
    <PageLayout
      title="Activity Log"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="View"
          value={view}
          data={[
            { value: "activity", label: "Activity" },
            { value: "audit", label: "Audit" },
          ]}
          // Each view has filters of its own.
          onChange={(next) => change(() => new URLSearchParams(next === "audit" ? { [VIEW]: next } : {}), "push")}
        />
      }
    >
      {view === "audit" ? <AuditView /> : <ActivityLog />}
    </PageLayout>
  );
}

function ActivityLog() {
  const url = useActivityUrl();
  const { filters, change } = url;
  const writeSearch = useCallback((search: string) => change({ search }, "replace"), [change]);
  const [search, setSearch] = useSearchDraft(filters.search, writeSearch);
  const isNever = endsBeforeItBegins(filters);
  const filter = useMemo(() => filterOf(filters), [filters]);
  const { state, isOld, list } = useActivityList(isNever ? null : filter);
  const isFiltered = filters.search !== "" || filters.action !== "all" || furtherFilters(filters) > 0;
  const isEmpty = isNever || (state.state === "ready" && state.rows.length === 0);
  return (
    <>
      <div className={classes["bar"]}>
        <div className={classes["search"]}>
          <SearchBox
            label="Search activities"
            placeholder="Search by site, partner, user, robot, serial number or details"
            value={search}
            onChange={(text) => setSearch(text.slice(0, 100))}
          />
        </div>
        <NativeSelect
          size="sm"
          aria-label="Filter by action"
          value={filters.action}
          data={ACTION_FILTERS.map((value) => ({ value, label: actionFilterWord[value] }))}
          onChange={({ currentTarget }) =>
            change({ action: ACTION_FILTERS.find((action) => action === currentTarget.value) ?? "all" }, "push")
          }
        />
        <ExportButton
          label="Export"
          what="The activity log"
          request={(signal) => send(exportActivity, { query: filter }, { signal })}
          // §9
          fileName="robot-activity-log"
          obstacle={isEmpty ? "There is no activity to export." : null}
        />
      </div>
      <ActivityFilters {...url} />
      {isEmpty ? (
        <div className={classes["panel"]}>
          <EmptyState
            title="No activity logs found"
            icon={<IconHistory size={32} stroke={1.5} />}
            {...(isFiltered && {
              message: "Nothing matches the search and the filters.",
              action: (
                <Button
                  variant="default"
                  size="xs"
                  onClick={() => {
                    setSearch("");
                    change(EVERYTHING, "push");
                  }}
                >
                  Show all activities
                </Button>
              ),
            })}
          />
        </div>
      ) : state.state === "failed" ? (
        <div className={classes["panel"]}>
          <FailedState
            title="The activity log could not be loaded."
            message={state.reason}
            onRetry={() => void list.load()}
          />
        </div>
      ) : state.state === "loading" ? (
        <div className={classes["loading"]}>
          <p className={classes["sentence"]} role="status">
            Loading activity logs...
          </p>
          {Array.from({ length: 10 }, (_, line) => (
            <Skeleton key={line} height={28} mb="12px" />
          ))}
        </div>
      ) : (
        <ActivityTable state={state} isOld={isOld} list={list} />
      )}
      <ActivityFooter state={state} isNever={isNever} list={list} />
    </>
  );
}

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

const PAGE_ROWS = 200;
/** Catches what the live stream may have missed. */
const REFRESH_INTERVAL_MS = 30_000;

export interface ListedActivity {
  readonly state: ActivityListState;
  /** The rows are still those of the filter before. */
  readonly isOld: boolean;
  readonly list: ActivityList;
}

/** The log's rows for this filter, kept current while mounted; null requests nothing. */
export function useActivityList(filter: ActivityFilter | null): ListedActivity {
  const key = JSON.stringify(filter);
  const [made, setMade] = useState(() => ({ key, list: listOf(filter) }));
  let current = made;
  if (made.key !== key) {
    current = { key, list: listOf(filter) };
    setMade(current);
  }
  const { list } = current;
  useEffect(() => {
    if (key === "null") return undefined;
    return follow(list);
  }, [key, list]);
  const state = useSyncExternalStore(list.subscribe, list.snapshot);
  // While another filter loads, the previous rows stay, so that nothing flashes.
  const [last, setLast] = useState(state);
  if (state.state !== "loading" && last !== state) setLast(state);
  const isOld = state.state === "loading" && last.rows.length > 0 && key !== "null";
  return { state: isOld ? last : state, isOld, list };
}

function follow(list: ActivityList): () => void {
  list.start();
  const unfollow = onLiveEvents((events) => {
    const entries = events.flatMap((event) => (event.type === "update" ? event.activity : []));
    list.amend(entries);
    // A snapshot follows a lost connection: entries may have been missed.
    if (entries.length > 0 || events.some(({ type }) => type === "snapshot")) void list.refresh();
  });
  const timer = setInterval(() => {
    if (!document.hidden) void list.refresh();
  }, REFRESH_INTERVAL_MS);
  return () => {
    unfollow();
    clearInterval(timer);
    list.end();
  };
}

function listOf(filter: ActivityFilter | null): ActivityList {
  return new ActivityList(({ cursor, exact = false }, signal) =>
    call(
      activityLogs,
      {
        query: {
          ...filter,
          limit: exact ? 1 : PAGE_ROWS,
          ...(cursor !== undefined && { cursor }),
          ...(exact && { exact_total: "true" as const }),
        },
      },
      { signal },
    ),
  );
}

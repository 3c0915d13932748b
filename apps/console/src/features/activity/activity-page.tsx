import { Box, Button, Group, SegmentedControl, Skeleton } from "@mantine/core";
import { SEARCH_MAX } from "@suncrew/contract/http/values.ts";
import { type ActivityFilter, activityLogs, exportActivity } from "@suncrew/contract/activity/activity.ts";
import { may } from "@suncrew/domain/auth/abilities.ts";
import { IconHistory, IconLock } from "@tabler/icons-react";
import { type QueryKey, queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { call, send } from "../../platform/api/call.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { pagedQuery, type PageOf } from "../../platform/api/paged-query.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { ExportButton } from "../../platform/export-button.tsx";
import { InvalidationQueue } from "../../platform/live/invalidation-queue.ts";
import { onLiveEvents } from "../../platform/live/live.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { useUrlParams } from "../../platform/url-params.tsx";
import { endsBeforeItBegins } from "../../ui/days.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { useSearchDraft } from "../../ui/use-search-draft.ts";
import { AuditView } from "../audit/public.ts";
import { StorageView } from "../storage/public.ts";
import { EVERYTHING, filterOf, furtherFilters, useActivityUrl } from "./activity-url.ts";
import { ActionFilter, ActivityFilters } from "./activity-filters.tsx";
import {
  type ActivityPage as LogPage,
  type ActivityPages,
  rowsOf,
  withCounts,
  withCurrent,
  withNewest,
  withWaiting,
} from "./activity-list.ts";
import shared from "../../ui/shared.module.css";
import classes from "./activity-page.module.css";
import { ActivityTable } from "./activity-table.tsx";

const VIEW = "view";
const views = [
  { value: "activity", label: "Activity", content: <ActivityLog /> },
  { value: "audit", label: "Audit", content: <AuditView /> },
  { value: "storage", label: "Stored Data", content: <StorageView /> },
] as const;

/** §2 Activity Log page. §6: users who are not Super Admins see a refusal, and nothing is requested. */
export function ActivityPage() {
  const { role } = useSignedIn();
  const [params, change] = useUrlParams();
  if (!may(role, "viewActivity")) {
    return (
      <PageLayout title="Activity Log">
        <div className={`${shared["card"]} ${classes["frame"]}`}>
          <EmptyState
            title="Access Denied"
            message="This page is only accessible to Super Administrators."
            icon={<IconLock size={32} stroke={1.5} />}
          />
        </div>
      </PageLayout>
    );
  }
  const { value: view, content } = views.find(({ value }) => value === params.get(VIEW)) ?? views[0];
  return (
    <PageLayout
      title="Activity Log"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="View"
          value={view}
          data={views.map(({ value, label }) => ({ value, label }))}
          // Each view has its own filters.
          onChange={(next) => change(() => new URLSearchParams(next === "activity" ? {} : { [VIEW]: next }), "push")}
        />
      }
    >
      {content}
    </PageLayout>
  );
}

function ActivityLog() {
  const url = useActivityUrl();
  const { filters, change } = url;
  const [search, setSearch] = useSearchDraft(filters.search, change);
  const isNever = endsBeforeItBegins(filters);
  const filter = useMemo(() => filterOf(filters), [filters]);
  const list = useActivityList(isNever ? null : filter);
  const isFiltered = filters.search !== "" || filters.action !== "all" || furtherFilters(filters) > 0;
  const isEmpty = isNever || list.total === 0;
  return (
    <>
      <Group gap={8}>
        <div className={classes["search"]}>
          <SearchBox
            label="Search activities"
            placeholder="Search by site, partner, user, robot, serial number or details"
            value={search}
            maxLength={SEARCH_MAX}
            onChange={setSearch}
          />
        </div>
        <ActionFilter filters={filters} change={change} />
        <ExportButton
          label="Export"
          what="The activity log"
          request={(signal) => send(exportActivity, { query: filter }, { signal })}
          // §9
          fileName="robot-activity-log"
          blockedReason={isEmpty ? "There is no activity to export." : null}
        />
      </Group>
      <ActivityFilters {...url} />
      <div className={`${shared["card"]} ${classes["frame"]}`}>
        {isEmpty ? (
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
        ) : (
          <QueryState query={list.query} loading={<LoadingRows />} failed="The activity log could not be loaded.">
            {() => <ActivityTable list={list} />}
          </QueryState>
        )}
      </div>
      <ActivityFooter list={list} isNever={isNever} />
    </>
  );
}

function LoadingRows() {
  return (
    <div className={classes["loading"]}>
      <Box component="p" mb={12} fz={13} c="dimmed" role="status">
        Loading activity logs...
      </Box>
      {Array.from({ length: 10 }, (_, line) => (
        <Skeleton key={line} height={28} mb="12px" />
      ))}
    </div>
  );
}

const number = new Intl.NumberFormat("en-GB");

/** §2: 'Showing X of Y activities' and 'Data refreshed automatically'. X are loaded, Y match search and filters. */
function ActivityFooter({ list, isNever }: { readonly list: ListedActivity; readonly isNever: boolean }) {
  const { rows, total, isTotalExact } = list;
  const all = `${number.format(total ?? 0)}${isTotalExact ? "" : "+"}`;
  return (
    <footer className={`${shared["muted"]} ${classes["footer"]}`}>
      <span className={classes["counted"]}>
        {isNever
          ? "Showing 0 of 0 activities"
          : total !== null && `Showing ${number.format(rows.length)} of ${all} activities`}
        {!isTotalExact && !isNever && (
          <Button size="compact-xs" variant="subtle" loading={list.isCounting} onClick={list.count}>
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

/** One read of the newest rows at a time, and another one for what has changed since it began. */
const staleAnswers = new InvalidationQueue(queryClient);

export type ListedActivity = ReturnType<typeof useActivityList>;

/** The log's rows for this filter, kept current while mounted; null requests nothing. */
function useActivityList(filter: ActivityFilter | null) {
  const { paged, newestQuery } = useMemo(() => {
    const query = { ...filter, limit: PAGE_ROWS };
    const read = (sent: PageOf<typeof query>, signal: AbortSignal): Promise<LogPage> =>
      call(activityLogs, { query: sent }, { signal });
    return {
      paged: pagedQuery(activityLogs, query, read),
      newestQuery: queryOptions({
        queryKey: [...queryKeyOf(activityLogs), "newest", query],
        queryFn: ({ signal }) => read(query, signal),
      }),
    };
  }, [filter]);
  const list = useInfiniteQuery({ ...paged, enabled: filter !== null, staleTime: Infinity, gcTime: 0 });
  const { isPlaceholderData: isOld } = list;
  // Nothing flickers while another filter loads, but there must be something to show.
  const data = isOld && list.data?.pages[0]?.total === 0 ? undefined : list.data;
  const isCurrent = data !== undefined && !isOld && filter !== null;
  const update = useListUpdates(paged.queryKey, list.isFetching);

  const newest = useQuery({
    ...newestQuery,
    enabled: isCurrent,
    initialData: isCurrent ? data.pages[0] : undefined,
    staleTime: Infinity,
    gcTime: 0,
    refetchInterval: REFRESH_INTERVAL_MS,
  }).data;
  const isAtNewest = useRef(true);
  useEffect(() => {
    if (newest === undefined) return;
    update((pages) => {
      const fresh = withNewest(pages, newest);
      return isAtNewest.current ? withWaiting(fresh) : fresh;
    });
  }, [newest, update]);
  useEffect(() => {
    if (!isCurrent) return undefined;
    return onLiveEvents((events) => {
      const entries = events.flatMap((event) => (event.type === "update" ? event.activity : []));
      update((pages) => withCurrent(pages, entries));
      // A snapshot follows a lost connection: entries may have been missed.
      if (entries.length > 0 || events.some(({ type }) => type === "snapshot")) staleAnswers.note(newestQuery.queryKey);
    });
  }, [isCurrent, newestQuery, update]);

  const counted = useQuery({
    ...routeQuery(activityLogs, { query: { ...filter, limit: 1, exact_total: "true" } }),
    enabled: false,
    gcTime: 0,
  });
  const count = async () => {
    const { data: counts } = await counted.refetch();
    if (counts !== undefined) update((pages) => withCounts(pages, counts));
  };
  // Rows that arrive later do not retry what has failed.
  const [failed, setFailed] = useState<ActivityFilter | null>(null);
  const loadMore = async () => {
    setFailed(null);
    const { isFetchNextPageError } = await list.fetchNextPage();
    if (isFetchNextPageError) setFailed(filter);
  };
  const showWaiting = () => update(withWaiting);

  const first = data?.pages[0];
  return {
    filter,
    query: { ...list, data },
    rows: useMemo(() => (data === undefined ? [] : rowsOf(data)), [data]),
    /** The rows are still those of the previous filter. */
    isOld,
    waiting: first?.waiting === undefined ? 0 : first.logs.length,
    /** There may be more of them than `waiting`. */
    isWaitingMore: first?.waiting === "apart",
    showWaiting,
    /** How many rows match; null until they are loaded. */
    total: first?.total ?? null,
    isTotalExact: first?.total_exact ?? true,
    isCounting: counted.isFetching,
    count: () => void count(),
    hasMore: list.hasNextPage,
    more: failed === filter && filter !== null ? "failed" : list.isFetchingNextPage ? "loading" : "idle",
    loadMore: () => void loadMore(),
    /** Whether the newest row is in view, so that newer ones may push it down. */
    setAtNewest: (value: boolean) => {
      isAtNewest.current = value;
      if (value) showWaiting();
    },
  } as const;
}

type ListUpdate = (list: ActivityPages) => ActivityPages;

/** Updates the cached list. A page that is loading would undo an update, which therefore waits for it. */
function useListUpdates(queryKey: QueryKey, isFetching: boolean): (by: ListUpdate) => void {
  // Those of another list no longer apply.
  const pending = useMemo(() => ({ queryKey, updates: [] as ListUpdate[] }), [queryKey]);
  const apply = useCallback(() => {
    if (queryClient.getQueryState(queryKey)?.fetchStatus !== "idle") return;
    const updates = pending.updates.splice(0);
    if (updates.length === 0) return;
    queryClient.setQueryData<ActivityPages>(queryKey, (list) =>
      list === undefined ? undefined : updates.reduce((changed, by) => by(changed), list),
    );
  }, [queryKey, pending]);
  useEffect(() => {
    if (!isFetching) apply();
  }, [isFetching, apply]);
  return useCallback(
    (by) => {
      pending.updates.push(by);
      apply();
    },
    [pending, apply],
  );
}

import { Button } from "@mantine/core";
import { auditList, exportAudit } from "@suncrew/contract/audit/audit.ts";
import { IconRefresh, IconShieldCheck } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { call, send } from "../../platform/api/call.ts";
import { serverReason } from "../../platform/api/errors.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { ExportButton } from "../../platform/export-button.tsx";
import { useUrlParams, useUrlState } from "../../platform/url-params.tsx";
import { clearUrl } from "../../platform/url-state.ts";
import { endsBeforeItBegins } from "../../ui/days.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FailedState } from "../../ui/failed-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { useSearchDraft } from "../../ui/use-search-draft.ts";
import { auditFilterOf, type AuditFilterValues, auditUrl, isNarrowed } from "./audit-filters-url.ts";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditTable } from "./audit-table.tsx";
import classes from "./audit-view.module.css";

const number = new Intl.NumberFormat("en-GB");

/** Every change that was made or refused, for Super Admins. */
export function AuditView() {
  const [, changeParams] = useUrlParams();
  const { state: filters, change } = useUrlState(auditUrl);
  const writeSearch = useCallback((search: string) => change({ search }, "replace"), [change]);
  const [search, setSearch] = useSearchDraft(filters.search, writeSearch);
  const isOn = !endsBeforeItBegins(filters);
  const list = useAuditList(filters, isOn);
  const pages = list.data?.pages ?? [];
  const [first] = pages;
  return (
    <section className={classes["view"]} aria-label="Audit">
      <AuditFilters
        filters={filters}
        search={search}
        actions={first?.actions ?? []}
        entities={first?.entities ?? []}
        onSearch={setSearch}
        onChange={(part) => change(part, "replace")}
        onClear={() => changeParams((now) => clearUrl(auditUrl, now), "replace")}
      />
      {first !== undefined && isOn && (
        <div className={classes["bar"]}>
          <Head head={first.head} />
          <div className={classes["buttons"]}>
            <ExportButton
              label="Export CSV"
              what="The audit"
              request={(signal) => send(exportAudit, { query: auditFilterOf(filters) }, { signal })}
              fileName="audit"
              obstacle={first.entries.length === 0 ? "There are no changes to export." : null}
            />
          </div>
        </div>
      )}
      <AuditRows filters={filters} list={list} isOn={isOn} />
    </section>
  );
}

interface AuditRowsProps {
  readonly filters: AuditFilterValues;
  readonly list: ReturnType<typeof useAuditList>;
  readonly isOn: boolean;
}

function AuditRows({ filters, list, isOn }: AuditRowsProps) {
  // Only for these filters: exact counting is slow, and other filters start with an estimate again.
  const filter = JSON.stringify(auditFilterOf(filters));
  const [countedFilter, setCountedFilter] = useState<string | null>(null);
  const isCounted = countedFilter === filter && isOn;
  const exact = useExactTotal(filters, isCounted);
  const pages = list.data?.pages ?? [];
  const [first] = pages;
  if (!isOn) return <EmptyState title="No changes found" message="The last day is before the first." />;
  if (list.isError && first === undefined) {
    return (
      <FailedState
        title="The audit could not be loaded."
        message={serverReason(list.error)}
        retrying={list.isFetching}
        onRetry={() => void list.refetch()}
      />
    );
  }
  if (first === undefined) return <SkeletonLines label="Loading audit..." lines={8} />;
  const entries = pages.flatMap((page) => page.entries);
  if (entries.length === 0) {
    return (
      <EmptyState title="No changes found" {...(isNarrowed(filters) && { message: "Nothing matches the filters." })} />
    );
  }
  const total = (isCounted ? exact.data : undefined) ?? first;
  return (
    <>
      <AuditTable entries={entries} isOld={list.isPlaceholderData} />
      {list.isFetchNextPageError && (
        <p className={classes["note"]} role="alert">
          Older changes could not be loaded.
        </p>
      )}
      <div className={classes["foot"]}>
        <span>
          Showing {number.format(entries.length)} of {number.format(total.total)}
          {total.total_exact ? "" : "+"} changes
        </span>
        {!total.total_exact && (
          <Button
            variant="subtle"
            size="compact-sm"
            loading={exact.isFetching}
            onClick={() => setCountedFilter(filter)}
          >
            Count exactly
          </Button>
        )}
        {list.hasNextPage && (
          <Button
            variant="default"
            size="compact-sm"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show older
          </Button>
        )}
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconRefresh size={14} aria-hidden />}
          loading={list.isRefetching && !list.isFetchingNextPage}
          onClick={() => void Promise.all([list.refetch(), isCounted ? exact.refetch() : null])}
        >
          Refresh
        </Button>
      </div>
    </>
  );
}

function Head({ head }: { readonly head: { number: number; hash: string; sealed_at: string } | null }) {
  if (head === null) return null;
  return (
    <p className={classes["head"]}>
      <IconShieldCheck size={16} aria-hidden />
      <span>
        Sealed up to number {number.format(head.number)} <RelativeTime at={head.sealed_at} />.{" "}
        <span className={classes["hash"]}>{head.hash}</span>
      </span>
    </p>
  );
}

const PAGE_ROWS = 100;

/** The matching rows, newest first, page by page; while a filter changes, the previous ones stay. */
function useAuditList(filters: AuditFilterValues, isOn: boolean) {
  const filter = auditFilterOf(filters);
  return useInfiniteQuery({
    queryKey: [...queryKeyOf(auditList), "pages", filter],
    queryFn: ({ pageParam, signal }) =>
      call(
        auditList,
        { query: { ...filter, limit: PAGE_ROWS, ...(pageParam !== null && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    enabled: isOn,
  });
}

/** How many rows match the filters, counted exactly, on request. */
function useExactTotal(filters: AuditFilterValues, isWanted: boolean) {
  const filter = auditFilterOf(filters);
  return useQuery({
    queryKey: [...queryKeyOf(auditList), "exact", filter],
    queryFn: ({ signal }) => call(auditList, { query: { ...filter, limit: 1, exact_total: "true" } }, { signal }),
    enabled: isWanted,
  });
}

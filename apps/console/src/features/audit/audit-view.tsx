import { Box, Button, Group } from "@mantine/core";
import { auditList, exportAudit } from "@suncrew/contract/audit/audit.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { IconRefresh, IconShieldCheck } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { call, send } from "../../platform/api/call.ts";
import { pagedQuery } from "../../platform/api/paged-query.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { ExportButton } from "../../platform/export-button.tsx";
import { OlderButton } from "../../platform/paged-list.tsx";
import { QueryState } from "../../platform/query-state.tsx";
import { useUrlParams, useUrlState } from "../../platform/url-params.tsx";
import { clearUrl } from "../../platform/url-state.ts";
import { endsBeforeItBegins } from "../../ui/days.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
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
  const [search, setSearch] = useSearchDraft(filters.search, change);
  const isOn = !endsBeforeItBegins(filters);
  const list = useAuditList(filters, isOn);
  const pages = list.data?.pages ?? [];
  const [first] = pages;
  return (
    <Box component="section" display="flex" miw={0} style={{ flexDirection: "column", gap: 12 }} aria-label="Audit">
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
        <Group gap="8px 16px" justify="space-between">
          <Head head={first.head} />
          <Group gap={8} align="stretch" ms="auto">
            <ExportButton
              label="Export CSV"
              what="The audit"
              request={(signal) => send(exportAudit, { query: auditFilterOf(filters) }, { signal })}
              fileName="audit"
              blockedReason={first.entries.length === 0 ? "There are no changes to export." : null}
            />
          </Group>
        </Group>
      )}
      <AuditRows filters={filters} list={list} isOn={isOn} />
    </Box>
  );
}

interface AuditRowsProps {
  readonly filters: AuditFilterValues;
  readonly list: ReturnType<typeof useAuditList>;
  readonly isOn: boolean;
}

function AuditRows({ filters, list, isOn }: AuditRowsProps) {
  const exact = useExactTotal(filters);
  if (!isOn) return <EmptyState title="No changes found" message="The last day is before the first." />;
  return (
    <QueryState
      query={list}
      loading={<SkeletonLines label="Loading audit..." lines={8} />}
      failed="The audit could not be loaded."
    >
      {({ pages }) => {
        const entries = pages.flatMap((page) => page.entries);
        if (entries.length === 0) {
          const message = isNarrowed(filters) && { message: "Nothing matches the filters." };
          return <EmptyState title="No changes found" {...message} />;
        }
        return (
          <>
            <AuditTable entries={entries} isOld={list.isPlaceholderData} />
            {list.isFetchNextPageError && (
              <Box component="p" fz={12} lh="16px" c="dimmed" role="alert">
                Older changes could not be loaded.
              </Box>
            )}
            <AuditFooter shown={entries.length} first={pages[0]} list={list} exact={exact} />
          </>
        );
      }}
    </QueryState>
  );
}

interface AuditFooterProps extends Pick<AuditRowsProps, "list"> {
  readonly shown: number;
  readonly first: ResponseOf<typeof auditList> | undefined;
  readonly exact: ReturnType<typeof useExactTotal>;
}

function AuditFooter({ shown, first, list, exact }: AuditFooterProps) {
  const { total = 0, total_exact: isExact = true } = exact.data ?? first ?? {};
  return (
    <Group gap="4px 10px" fz={13} c="dimmed">
      <span>
        Showing {number.format(shown)} of {number.format(total)}
        {isExact ? "" : "+"} changes
      </span>
      {!isExact && (
        <Button variant="subtle" size="compact-sm" loading={exact.isFetching} onClick={() => void exact.refetch()}>
          Count exactly
        </Button>
      )}
      <OlderButton list={list} size="compact-sm" />
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconRefresh size={14} aria-hidden />}
        loading={list.isRefetching && !list.isFetchingNextPage}
        onClick={() => void Promise.all([list.refetch(), exact.data === undefined ? null : exact.refetch()])}
      >
        Refresh
      </Button>
    </Group>
  );
}

function Head({ head }: { readonly head: { number: number; hash: string; sealed_at: string } | null }) {
  if (head === null) return null;
  return (
    <p className={classes["head"]}>
      <IconShieldCheck size={16} aria-hidden />
      <span>
        Sealed up to number {number.format(head.number)} <RelativeTime at={head.sealed_at} />.{" "}
        <span style={{ fontFamily: "monospace", overflowWrap: "anywhere" }}>{head.hash}</span>
      </span>
    </p>
  );
}

const PAGE_ROWS = 100;

function useAuditList(filters: AuditFilterValues, isOn: boolean) {
  const filter = { ...auditFilterOf(filters), limit: PAGE_ROWS };
  const paged = pagedQuery(auditList, filter, (query, signal) => call(auditList, { query }, { signal }));
  return useInfiniteQuery({ ...paged, enabled: isOn });
}

/** The exact number of matching rows, counted on request because that is slow. Other filters have an estimate again. */
function useExactTotal(filters: AuditFilterValues) {
  const query = { ...auditFilterOf(filters), limit: 1, exact_total: "true" as const };
  return useQuery({ ...routeQuery(auditList, { query }), enabled: false, gcTime: 0 });
}

import { auditList } from "@suncrew/contract/audit/audit.ts";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { call } from "../../platform/api/call.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { type AuditFilterValues, auditFilterOf } from "./audit-filters-url.ts";

const PAGE_ROWS = 100;

/** The rows that the filters chooses, newest first, page by page; what was shown stays until the next is there. */
export function useAuditList(filters: AuditFilterValues, isOn: boolean) {
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

/** How many rows the filters chooses, counted to the end; asked only where somebody wants it. */
export function useExactTotal(filters: AuditFilterValues, isWanted: boolean) {
  const filter = auditFilterOf(filters);
  return useQuery({
    queryKey: [...queryKeyOf(auditList), "exact", filter],
    queryFn: ({ signal }) => call(auditList, { query: { ...filter, limit: 1, exact_total: "true" } }, { signal }),
    enabled: isWanted,
  });
}

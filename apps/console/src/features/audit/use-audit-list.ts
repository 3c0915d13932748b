import { auditList } from "@suncrew/contract/audit/audit.ts";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { call } from "../../platform/api/call.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { type AuditAddress, auditFilterOf } from "./audit-address.ts";

const PAGE_ROWS = 100;

/** The rows that the address chooses, newest first, page by page; what was shown stays until the next is there. */
export function useAuditList(address: AuditAddress, isOn: boolean) {
  const filter = auditFilterOf(address);
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

/** How many rows the address chooses, counted to the end; asked only where somebody wants it. */
export function useExactTotal(address: AuditAddress, isWanted: boolean) {
  const filter = auditFilterOf(address);
  return useQuery({
    queryKey: [...queryKeyOf(auditList), "exact", filter],
    queryFn: ({ signal }) => call(auditList, { query: { ...filter, limit: 1, exact_total: "true" } }, { signal }),
    enabled: isWanted,
  });
}

import { alertList } from "@suncrew/contract/alerts/alerts.ts";
import type { SentQueryOf } from "@suncrew/contract/http/route.ts";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { call } from "../../platform/api/call.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import type { AlertsUrl } from "./alerts-url.ts";

const PAGE = 100;

/** The alerts that the url asks for, page by page; while others are asked for, those before stay. */
export function useAlertPages({ state, severity, siteId, robotId }: AlertsUrl) {
  const filter: SentQueryOf<typeof alertList> = {
    state,
    limit: PAGE,
    servers: "true",
    ...(severity !== null && { severity }),
    ...(siteId !== null && { site_id: siteId }),
    ...(robotId !== null && { robot_id: robotId }),
  };
  return useInfiniteQuery({
    queryKey: [...queryKeyOf(alertList, { query: filter }), "pages"],
    queryFn: ({ pageParam, signal }) =>
      call(alertList, { query: { ...filter, ...(pageParam !== null && { cursor: pageParam }) } }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    placeholderData: keepPreviousData,
  });
}

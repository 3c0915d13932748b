import type { RouteSpec } from "@suncrew/contract/http/route.ts";
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { queryKeyOf } from "./route-query.ts";

/** The filter of a list as its call takes it, with the cursor of the page to read; without one, the first page. */
export type PageOf<Filter> = Filter & { readonly cursor?: string };

/** Options of a list that is read page by page. While its filter changes, the rows of the previous one stay. */
export function pagedQuery<Filter extends object, Page extends { readonly next_cursor: string | null }>(
  route: RouteSpec,
  filter: Filter,
  read: (query: PageOf<Filter>, signal: AbortSignal) => Promise<Page>,
) {
  return infiniteQueryOptions({
    queryKey: [...queryKeyOf(route), "pages", filter],
    queryFn: ({ pageParam, signal }) => read({ ...filter, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });
}

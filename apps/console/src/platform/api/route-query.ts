import type { ResponseOf, RouteSpec } from "@suncrew/contract/http/route.ts";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call, type CallOptions, type Sent } from "./call.ts";

/** The key under which a call's answer is cached; without `sent`, the common prefix of all of them. */
export function queryKeyOf<R extends RouteSpec>(route: R, sent?: Sent<R>): readonly unknown[] {
  return sent === undefined ? [route.path] : [route.path, sent.params ?? null, sent.query ?? null];
}

/** Query options of a GET call, typed and keyed by its route; cancelled when nobody waits any more. */
export function routeQuery<R extends RouteSpec>(route: R, sent: Sent<R>, options: Omit<CallOptions, "signal"> = {}) {
  return queryOptions<ResponseOf<R>>({
    queryKey: queryKeyOf(route, sent),
    queryFn: ({ signal }) => call(route, sent, { ...options, signal }),
  });
}

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

import type { ResponseOf, RouteSpec } from "@suncrew/contract/http/route.ts";
import { queryOptions } from "@tanstack/react-query";
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

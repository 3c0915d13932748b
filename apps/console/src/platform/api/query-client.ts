import {
  CancelledError,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  notifyManager,
  QueryCache,
  QueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import { afterPress } from "../press.ts";
import { logFailure, NetworkError } from "./errors.ts";

/**
 * The library joins a first fetch in progress instead of restarting it, although its answer may be older than what made
 * it stale. Here such a fetch is followed by another one.
 */
class FreshQueryClient extends QueryClient {
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters: InvalidateQueryFilters<Key> = {},
    options?: InvalidateOptions,
  ): Promise<void> {
    const joined = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: "fetching" })
      .filter(({ state }) => state.data === undefined);
    await super.invalidateQueries(filters, options);
    if (joined.length === 0) return;
    // Those that nobody shows any more are not awaited above.
    await Promise.allSettled(joined.flatMap(({ promise }) => promise ?? []));
    const answered = new Set(joined.filter(({ state }) => state.data !== undefined).map(({ queryHash }) => queryHash));
    const isWanted = filters.predicate ?? (() => true);
    await super.invalidateQueries(
      { ...filters, predicate: (query) => answered.has(query.queryHash) && isWanted(query) },
      options,
    );
  }
}

/**
 * The one cache of answers. Only a lost connection is retried, once and soon: the failed state with
 * its Retry is more honest than a long silence. Nothing waits for the browser's own idea of "online".
 */
export const queryClient = new FreshQueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (!(error instanceof CancelledError)) logFailure(String(queryKey[0]), error);
    },
  }),
  defaultOptions: {
    queries: {
      networkMode: "always",
      staleTime: 30_000,
      retry: (failures, error) => failures < 1 && error instanceof NetworkError && !error.timedOut,
      retryDelay: 400,
    },
    mutations: { networkMode: "always", retry: false },
  },
});

notifyManager.setScheduler((callback) => setTimeout(() => afterPress(callback)));

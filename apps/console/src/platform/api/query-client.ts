import {
  CancelledError,
  type InvalidateQueryFilters,
  notifyManager,
  QueryCache,
  QueryClient,
} from "@tanstack/react-query";
import { afterPress } from "../press.ts";
import { logFailure, NetworkError } from "./errors.ts";

/**
 * The library joins a first fetch in progress instead of restarting it, although its answer may be older than what made
 * it stale. Here such a fetch is followed by another one.
 */
class FreshQueryClient extends QueryClient {
  override async invalidateQueries(filters?: InvalidateQueryFilters) {
    const joined = this.getQueryCache()
      .findAll(filters)
      .filter(({ promise, state }) => promise && !state.dataUpdatedAt);
    await super.invalidateQueries(filters);
    await super.invalidateQueries({ predicate: (query) => joined.includes(query) && query.state.dataUpdatedAt > 0 });
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

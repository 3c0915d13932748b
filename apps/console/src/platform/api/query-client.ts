import { CancelledError, QueryCache, QueryClient } from "@tanstack/react-query";
import { NetworkError, TokenExpiredError } from "./errors.ts";

/**
 * The one cache of answers. Only a lost connection is tried again, once and soon: the failed state with
 * its Retry is more honest than a long silence. Nothing waits for the browser's own idea of "online".
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => logFailure(String(queryKey[0]), error) }),
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

/** §7, §8: what could not be loaded is logged; pages show it with their own words. `path` is the call's, without values. */
function logFailure(path: string, error: Error): void {
  if (error instanceof CancelledError || error instanceof TokenExpiredError || error.name === "AbortError") return;
  // oxlint-disable-next-line no-console -- the log that the specification asks for
  console.warn(`Loading ${path} failed: ${error.message || "no reason was given"}`);
}

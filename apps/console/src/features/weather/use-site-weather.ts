import { siteWeather } from "@suncrew/contract/weather/weather.ts";
import type { Weather } from "@suncrew/contract/weather/weather.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { serverReason, TokenExpiredError } from "../../platform/api/errors.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { toast } from "../../platform/toast.tsx";

/** A forecast is looked at anew as often, in milliseconds; the server keeps its own for longer. */
const REFRESH_MS = 900_000;

export interface SiteWeather {
  readonly state: "loading" | "failed" | "loaded";
  readonly weather: Weather | null;
  readonly retry: () => void;
  readonly isRetrying: boolean;
}

/** The selected site's weather. Each failure is told in a toast (§8 Weather). */
export function useSiteWeather(siteId: number): SiteWeather {
  const query = useQuery({
    ...routeQuery(siteWeather, { params: { siteId } }),
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
  });
  const { error } = query;
  useEffect(() => {
    if (error === null || error instanceof TokenExpiredError) return;
    const reason = serverReason(error);
    toast.failure({ title: "Weather", message: "Failed to load weather data", reason, unasked: true });
  }, [error]);

  // While it is tried again the failure stays, and so does the focus on Retry.
  const hasFailed = query.isError || (query.isPending && query.errorUpdateCount > 0);
  const state = hasFailed ? "failed" : query.isPending ? "loading" : "loaded";
  return {
    state,
    weather: query.data ?? null,
    retry: () => void query.refetch(),
    isRetrying: query.isFetching,
  };
}

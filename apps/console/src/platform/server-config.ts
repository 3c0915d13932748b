import { config } from "@suncrew/contract/config/config.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "./api/route-query.ts";

export type ServerConfig = ResponseOf<typeof config>;

/** What the server says of itself before anybody signs in; undefined until it answered. */
export function useServerConfig(): ServerConfig | undefined {
  return useQuery({ ...routeQuery(config, {}), staleTime: 60_000, refetchInterval: 300_000 }).data;
}

import { config } from "@suncrew/contract/config/config.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "./api/route-query.ts";

export type ServerConfig = ResponseOf<typeof config>;

const EVERY_MS = 300_000;
/** The server may still be finding out whether it reaches the map's tiles. */
const EVERY_MS_WITHOUT_TILES = 15_000;

/** The server's public configuration, available before sign-in; undefined until it answers. */
export function useServerConfig(): ServerConfig | undefined {
  return useQuery({
    ...routeQuery(config, {}),
    staleTime: 60_000,
    refetchInterval: ({ state }) => (state.data?.map_tiles?.available === false ? EVERY_MS_WITHOUT_TILES : EVERY_MS),
  }).data;
}

/** Whether the server is a demo: as it wrote into the page until it answers; null while that is not known. */
export function useIsDemo(): boolean | null {
  const mode = useServerConfig()?.mode ?? pageMode();
  return mode === undefined ? null : mode === "demo";
}

function pageMode(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name="server-mode"]')?.content;
}

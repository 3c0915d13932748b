import { robotDetailsWithSettings, type RobotLive, type RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { isUninformative } from "../../platform/api/errors.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { liveStore, useLiveStatus, useLiveVersion, useRobotLive } from "../../platform/live/live.ts";
import { useNow } from "../../ui/use-now.ts";
import { requestRobotStatus, robotLocalStore } from "./robot-calls.ts";
import { NO_PENDING_CALLS } from "./robot-local-state.ts";
import { type RobotView, robotViewOf } from "./robot-view.ts";
import { StatusPolling } from "./status-polling.ts";

/** One robot as its card shows it; re-renders for this robot only. */
export function useRobotView(row: RobotWithSettings): RobotView {
  const live = useRobotLive(row.robot_id) ?? null;
  const subscribe = useCallback(
    (listener: () => void) => robotLocalStore.subscribe(row.robot_id, listener),
    [row.robot_id],
  );
  const { override, calls } = useSyncExternalStore(subscribe, () => robotLocalStore.get(row.robot_id));
  const now = useNow();
  const timezone = timezoneOf(row);
  const isCut = useLiveStatus() === "lost";
  return useMemo(
    () => robotViewOf({ row, live, override, calls, timezone, isCut }, now),
    [row, live, override, calls, timezone, isCut, now],
  );
}

/** All robots of a site, for its counters and filters; re-renders after each flush of the stream. */
export function useRobotViews(rows: readonly RobotWithSettings[]): readonly RobotView[] {
  const liveVersion = useLiveVersion();
  const liveStatus = useLiveStatus();
  const localVersion = useSyncExternalStore(
    (listener) => robotLocalStore.subscribe(null, listener),
    () => robotLocalStore.version(),
  );
  return useMemo(
    () => rows.map((row) => currentRobotView(row)),
    // eslint-disable-next-line react/exhaustive-deps -- the versions and the status represent the contents of the two stores
    [rows, liveVersion, liveStatus, localVersion],
  );
}

/** The live part of robots from the stream, or from the list before the first snapshot. */
export function useRobotsLive(rows: readonly RobotWithSettings[]): readonly RobotLive[] {
  const version = useLiveVersion();
  return useMemo(
    () => rows.map((row) => liveStore.robot(row.robot_id) ?? row),
    // eslint-disable-next-line react/exhaustive-deps -- the version represents the contents of the store
    [rows, version],
  );
}

/**
 * Robots as the server last reported them, without the results of this browser's own calls: what the server decides by
 * when it starts many.
 */
export function useReportedRobotViews(rows: readonly RobotWithSettings[]): readonly RobotView[] {
  const version = useLiveVersion();
  return useMemo(() => {
    const now = new Date();
    return rows.map((row) =>
      robotViewOf(
        {
          row,
          live: liveStore.robot(row.robot_id) ?? null,
          override: null,
          calls: NO_PENDING_CALLS,
          timezone: timezoneOf(row),
        },
        now,
      ),
    );
    // eslint-disable-next-line react/exhaustive-deps -- the version represents the contents of the store
  }, [rows, version]);
}

/** One robot now, outside of rendering. */
function currentRobotView(row: RobotWithSettings): RobotView {
  const { override, calls } = robotLocalStore.get(row.robot_id);
  const live = liveStore.robot(row.robot_id) ?? null;
  const isCut = liveStore.status() === "lost";
  return robotViewOf({ row, live, override, calls, timezone: timezoneOf(row), isCut }, new Date());
}

function timezoneOf(row: RobotWithSettings): string | undefined {
  return liveStore.site(row.site_id)?.timezone;
}

const NONE: readonly RobotWithSettings[] = [];
/** True until the first site's robots have been polled (§9 Status polling). */
let isFirstLoad = true;

export interface SiteRobots {
  readonly state: "loading" | "failed" | "loaded";
  /** §8 Robot fetch failure: emptied. */
  readonly rows: readonly RobotWithSettings[];
  readonly retry: () => void;
  readonly isRetrying: boolean;
  /** A person's refresh of one robot; aborted when the site is switched. */
  readonly refresh: (row: RobotWithSettings) => void;
}

/** The selected site's robots, polled as §9 says while they are shown. */
export function useSiteRobots(siteId: number): SiteRobots {
  const query = useQuery(routeQuery(robotDetailsWithSettings, { params: { siteId } }));
  // §8 Robot fetch failure: emptied. A lost connection, or a failure within the server, leaves the last known robots.
  const hasFailed = query.isError && !(query.data !== undefined && isUninformative(query.error));
  const rows = hasFailed ? NONE : (query.data?.robots ?? NONE);
  const { refetch } = query;
  const retry = useCallback(() => void refetch(), [refetch]);

  const refresh = useStatusPolling(siteId, rows);
  const state = query.isPending ? "loading" : hasFailed ? "failed" : "loaded";
  return { state, rows, retry, isRetrying: query.isFetching, refresh };
}

function useStatusPolling(siteId: number, rows: readonly RobotWithSettings[]): (row: RobotWithSettings) => void {
  const latest = useRef(rows);
  const site = useRef(new AbortController());
  useEffect(() => {
    latest.current = rows;
  }, [rows]);

  const ask = useCallback((row: RobotWithSettings, isManual: boolean) => {
    const { robot_id: robotId, serial_number: serialNumber } = row;
    void requestRobotStatus({ robotId, serialNumber, signal: site.current.signal, isManual });
  }, []);

  const hasRobots = rows.length > 0;
  useEffect(() => {
    site.current = new AbortController();
    if (!hasRobots) return;
    const controller = site.current;
    const polling = new StatusPolling({
      robots: () =>
        latest.current
          .filter((row) => row.site_id === siteId)
          .map((row) => ({
            id: row.robot_id,
            status: currentRobotView(row).status,
            lastQueriedAt: robotLocalStore.get(row.robot_id).lastQueriedAt,
            isRequested: robotLocalStore.get(row.robot_id).calls.refresh !== null,
          })),
      request: (robotId) => {
        const row = latest.current.find((one) => one.robot_id === robotId);
        if (row !== undefined) ask(row, false);
      },
      now: () => new Date(),
      isHidden: () => document.hidden,
      isFirstLoad,
    });
    isFirstLoad = false;
    polling.start();
    const onShown = () => polling.check();
    document.addEventListener("visibilitychange", onShown);
    return () => {
      document.removeEventListener("visibilitychange", onShown);
      polling.stop();
      controller.abort();
    };
  }, [siteId, hasRobots, ask]);

  return useCallback((row: RobotWithSettings) => ask(row, true), [ask]);
}

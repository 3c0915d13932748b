import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { isUninformative } from "../../platform/api/errors.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { askRobotStatus, robotStatusStore } from "./robot-calls.ts";
import { StatusPolling } from "./status-polling.ts";
import { currentRobotView } from "./use-robot-view.ts";

const NONE: readonly RobotWithSettings[] = [];
/** Until the first site's robots were asked, the page is at its first load (§9 Status polling). */
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
  // §8 Robot fetch failure: emptied. Not where this browser lost its connection, or the server a part of its own: the last known ones stay.
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
    void askRobotStatus({ robotId, serialNumber, signal: site.current.signal, isManual });
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
            lastQueriedAt: robotStatusStore.notes(row.robot_id).lastQueriedAt,
            isAsked: robotStatusStore.notes(row.robot_id).calls.refresh !== null,
          })),
      ask: (robotId) => {
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

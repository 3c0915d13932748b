import { robotDetailsWithSettings, type RobotLive, type RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { OFFLINE_AFTER_MS } from "@suncrew/domain/devices/protocol-times.ts";
import { siteCountersOf } from "@suncrew/domain/sites/site-status.ts";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { isUninformative } from "../../platform/api/errors.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import type { RobotEntry } from "../../platform/live/live-store.ts";
import { hasSameItems, liveStore, useLiveStatus, useLiveValue, useRobotEntry } from "../../platform/live/live.ts";
import { useNow } from "../../ui/use-now.ts";
import { requestRobotStatus } from "./robot-calls.ts";
import { type RobotView, robotViewOf } from "./robot-view.ts";
import { StatusPolling } from "./status-polling.ts";

/** One robot as its card shows it; re-renders for this robot only. */
export function useRobotView(row: RobotWithSettings): RobotView {
  const entry = useRobotEntry(row.robot_id);
  const now = useNow();
  const timezone = timezoneOf(row);
  const badWeather = useLiveValue(useCallback(() => badWeatherOf(row), [row]));
  const isCut = useLiveStatus() === "lost";
  return useMemo(
    () => robotViewOf({ row, entry, timezone, badWeather, isCut }, now),
    [row, entry, timezone, badWeather, isCut, now],
  );
}

/** Robots of a site for what is computed from them; re-renders when they differ by `isSame`. */
export function useRobotViews(
  rows: readonly RobotWithSettings[],
  isSame: (one: readonly RobotView[], other: readonly RobotView[]) => boolean = hasSameItems,
): readonly RobotView[] {
  const read = useMemo(() => robotViewsOf(rows, (entry) => entry), [rows]);
  return useLiveValue(read, isSame);
}

/**
 * What is computed from the robots of a site as they are shown; re-renders when it is another value by `isSame`.
 * Neither function must change from one rendering to the next.
 */
export function useRobotsValue<T>(
  rows: readonly RobotWithSettings[],
  compute: (views: readonly RobotView[]) => T,
  isSame?: (one: T, other: T) => boolean,
): T {
  const read = useMemo(() => {
    const views = robotViewsOf(rows, (entry) => entry);
    return () => compute(views());
  }, [rows, compute]);
  return useLiveValue(read, isSame);
}

/** The live part of robots as the server last said, or from the list before the first snapshot. */
export function useRobotsLive(
  rows: readonly RobotWithSettings[],
  isSame: (one: readonly RobotLive[], other: readonly RobotLive[]) => boolean = hasSameItems,
): readonly RobotLive[] {
  const read = useCallback(() => rows.map((row) => liveStore.robot(row.robot_id) ?? row), [rows]);
  return useLiveValue(read, isSame);
}

/**
 * Robots as the server last reported them, without what this browser's own calls failed at or wait for: what the server
 * decides by when it starts many.
 */
export function useReportedRobotViews(rows: readonly RobotWithSettings[]): readonly RobotView[] {
  const read = useMemo(
    () => robotViewsOf(rows, (entry) => ({ ...entry, unreachable: null, sending: null, refresh: null })),
    [rows],
  );
  return useLiveValue(read, hasSameItems);
}

/** Reads how these robots are shown now; one that has not changed is the same object as before. */
function robotViewsOf(
  rows: readonly RobotWithSettings[],
  part: (entry: RobotEntry) => RobotEntry,
): () => readonly RobotView[] {
  const last = new Map<
    number,
    { entry: RobotEntry; isCut: boolean; timezone: string | undefined; badWeather: string | null; view: RobotView }
  >();
  return () => {
    const now = new Date();
    const isCut = liveStore.status() === "lost";
    return rows.map((row) => {
      const entry = liveStore.entry(row.robot_id);
      const timezone = timezoneOf(row);
      const badWeather = badWeatherOf(row);
      const before = last.get(row.robot_id);
      if (
        before?.entry === entry &&
        before.isCut === isCut &&
        before.timezone === timezone &&
        before.badWeather === badWeather &&
        isOfAge(before.view, now)
      ) {
        return before.view;
      }
      const view = robotViewOf({ row, entry: part(entry), timezone, badWeather, isCut }, now);
      last.set(row.robot_id, { entry, isCut, timezone, badWeather, view });
      return view;
    });
  };
}

/** Of what a view shows, time alone changes whether its reading is old (protocol rule 7). */
function isOfAge({ isStale, lastUpdatedAt }: RobotView, now: Date): boolean {
  return isStale || (lastUpdatedAt !== null && now.getTime() - lastUpdatedAt.getTime() <= OFFLINE_AFTER_MS);
}

/** One robot now, outside of rendering. */
function currentRobotView(row: RobotWithSettings): RobotView {
  const isCut = liveStore.status() === "lost";
  const entry = liveStore.entry(row.robot_id);
  return robotViewOf({ row, entry, timezone: timezoneOf(row), badWeather: badWeatherOf(row), isCut }, new Date());
}

/** The stream itself says that its machine was never heard; without the stream only a poll would tell of a first report. */
function isNeverHeard(row: RobotWithSettings): boolean {
  return liveStore.status() === "live" && liveStore.entry(row.robot_id).streamed?.last_updated_at === null;
}

function timezoneOf(row: RobotWithSettings): string | undefined {
  return liveStore.site(row.site_id)?.timezone;
}

function badWeatherOf(row: RobotWithSettings): string | null {
  return liveStore.site(row.site_id)?.weather_guard?.text ?? null;
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
          // One that was never heard has nothing to answer: its first report comes by itself.
          .filter((row) => row.site_id === siteId && !isNeverHeard(row))
          .map((row) => ({
            id: row.robot_id,
            status: currentRobotView(row).status,
            lastQueriedAt: liveStore.entry(row.robot_id).lastQueriedAt,
            isRequested: liveStore.entry(row.robot_id).refresh !== null,
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

/** §4: robots online at a site, recomputed after each status; 0 where the robots could not be fetched (§8). */
export function useOnlineRobots(site: Pick<Site, "online_robots">, { state, rows }: SiteRobots): number {
  const counted = useRobotsValue(rows, onlineCountOf);
  if (state === "failed") return 0;
  return state === "loaded" && counted !== null ? counted : site.online_robots;
}

/** Null until every robot is known. */
function onlineCountOf(views: readonly RobotView[]): number | null {
  if (views.some((view) => view.isChecking)) return null;
  return siteCountersOf(views.map((view) => ({ status: view.status, operatingMode: view.mode }))).onlineRobots;
}

import type { RobotLive, RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { liveStore, useLiveStatus, useLiveVersion, useRobotLive } from "../../platform/live/live.ts";
import { useNow } from "../../ui/use-now.ts";
import { robotStatusStore } from "./robot-calls.ts";
import { NO_CALLS } from "./robot-overlay.ts";
import { robotViewOf } from "./robot-view.ts";
import type { RobotView } from "./robot-view.ts";

/** One robot as its card shows it; renders again for this robot alone. */
export function useRobotView(row: RobotWithSettings): RobotView {
  const live = useRobotLive(row.robot_id) ?? null;
  const subscribe = useCallback(
    (listener: () => void) => robotStatusStore.subscribe(row.robot_id, listener),
    [row.robot_id],
  );
  const { overlay, calls } = useSyncExternalStore(subscribe, () => robotStatusStore.notes(row.robot_id));
  const now = useNow();
  const timezone = timezoneOf(row);
  const isCut = useLiveStatus() === "lost";
  return useMemo(
    () => robotViewOf({ row, live, overlay, calls, timezone, isCut }, now),
    [row, live, overlay, calls, timezone, isCut, now],
  );
}

/** All robots of a site, for its counters and filters; renders again after each flush of the stream. */
export function useRobotViews(rows: readonly RobotWithSettings[]): readonly RobotView[] {
  const liveVersion = useLiveVersion();
  const liveStatus = useLiveStatus();
  const notesVersion = useSyncExternalStore(
    (listener) => robotStatusStore.subscribe(null, listener),
    () => robotStatusStore.version(),
  );
  return useMemo(
    () => rows.map((row) => currentRobotView(row)),
    // eslint-disable-next-line react/exhaustive-deps -- the versions and the status stand for what the two stores hold
    [rows, liveVersion, liveStatus, notesVersion],
  );
}

/** The live part of robots as the stream last told it, or the list before it did. */
export function useRobotsLive(rows: readonly RobotWithSettings[]): readonly RobotLive[] {
  const version = useLiveVersion();
  return useMemo(
    () => rows.map((row) => liveStore.robot(row.robot_id) ?? row),
    // eslint-disable-next-line react/exhaustive-deps -- the version stands for what the store holds
    [rows, version],
  );
}

/**
 * Robots as the server last told them, without what this browser's own calls came to: what the server goes by when it
 * is asked to start many.
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
          overlay: null,
          calls: NO_CALLS,
          timezone: timezoneOf(row),
        },
        now,
      ),
    );
    // eslint-disable-next-line react/exhaustive-deps -- the version stands for what the store holds
  }, [rows, version]);
}

/** One robot now, outside of rendering. */
export function currentRobotView(row: RobotWithSettings): RobotView {
  const { overlay, calls } = robotStatusStore.notes(row.robot_id);
  const live = liveStore.robot(row.robot_id) ?? null;
  const isCut = liveStore.status() === "lost";
  return robotViewOf({ row, live, overlay, calls, timezone: timezoneOf(row), isCut }, new Date());
}

/** The stream tells robots and their sites together. */
function timezoneOf(row: RobotWithSettings): string | undefined {
  return liveStore.site(row.site_id)?.timezone;
}

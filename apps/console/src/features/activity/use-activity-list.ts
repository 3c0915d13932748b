import { activityLogs } from "@suncrew/contract/activity/activity.ts";
import type { ActivityFilter } from "@suncrew/contract/activity/activity.ts";
import { useEffect, useState, useSyncExternalStore } from "react";
import { call } from "../../platform/api/call.ts";
import { onLiveEvents } from "../../platform/live/live.ts";
import { ActivityList, type ActivityListState } from "./activity-list.ts";

const PAGE_ROWS = 200;
/** Should the live stream miss something, it is there after this long. */
const REREAD_EVERY_MS = 30_000;

export interface ListedActivity {
  readonly state: ActivityListState;
  /** The rows are still those of the filter before. */
  readonly isOld: boolean;
  readonly list: ActivityList;
}

/** The log's rows by this filter, kept up to date while they are looked at; null asks nothing. */
export function useActivityList(filter: ActivityFilter | null): ListedActivity {
  const key = JSON.stringify(filter);
  const [made, setMade] = useState(() => ({ key, list: listOf(filter) }));
  let current = made;
  if (made.key !== key) {
    current = { key, list: listOf(filter) };
    setMade(current);
  }
  const { list } = current;
  useEffect(() => {
    if (key === "null") return undefined;
    return follow(list);
  }, [key, list]);
  const state = useSyncExternalStore(list.subscribe, list.snapshot);
  // While another filter's rows are read, those of the last one stay, so that nothing flashes.
  const [last, setLast] = useState(state);
  if (state.state !== "loading" && last !== state) setLast(state);
  const isOld = state.state === "loading" && last.rows.length > 0 && key !== "null";
  return { state: isOld ? last : state, isOld, list };
}

function follow(list: ActivityList): () => void {
  list.start();
  const unfollow = onLiveEvents((events) => {
    const told = events.flatMap((event) => (event.type === "update" ? event.activity : []));
    list.amend(told);
    // A snapshot comes after a time without a stream: something may have been missed.
    if (told.length > 0 || events.some(({ type }) => type === "snapshot")) void list.refresh();
  });
  const timer = setInterval(() => {
    if (!document.hidden) void list.refresh();
  }, REREAD_EVERY_MS);
  return () => {
    unfollow();
    clearInterval(timer);
    list.end();
  };
}

function listOf(filter: ActivityFilter | null): ActivityList {
  return new ActivityList(({ cursor, exact = false }, signal) =>
    call(
      activityLogs,
      {
        query: {
          ...filter,
          limit: exact ? 1 : PAGE_ROWS,
          ...(cursor !== undefined && { cursor }),
          ...(exact && { exact_total: "true" as const }),
        },
      },
      { signal },
    ),
  );
}

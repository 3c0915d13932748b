import { attentionList } from "@suncrew/contract/attention/attention.ts";
import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf, routeQuery } from "../../platform/api/route-query.ts";
import { useFirstContentShown } from "../../platform/first-content.ts";
import { InvalidationQueue } from "../../platform/live/invalidation-queue.ts";
import { onLiveEvents } from "../../platform/live/live.ts";

/** Some of what is listed comes with time alone, such as a battery's run that is a day away. */
const READ_EVERY_MS = 60_000;
/** A whole fleet that starts at six in the evening changes at any moment; the list is read again at most this often. */
const PAUSE_MS = 5_000;

/** What needs a person, the worst first; read after the first robots are shown. */
export function useAttention() {
  return useQuery({
    ...routeQuery(attentionList, {}),
    enabled: useFirstContentShown(),
    refetchInterval: READ_EVERY_MS,
  });
}

/** Reads the list again when the live stream reports something that may be on it. */
export function useLiveAttention(): void {
  useEffect(() => {
    const queue = new InvalidationQueue(queryClient, PAUSE_MS);
    const isNews = newsOfRobots();
    return onLiveEvents((events) => {
      if (events.filter(isNews).length > 0) queue.note(queryKeyOf(attentionList));
    });
  }, []);
}

/** Whether an event may change the list; remembers which robots are lost or locked. */
function newsOfRobots(): (event: LiveEvent) => boolean {
  const troubles = new Map<number, string>();
  return (event) => {
    if (event.type === "end") return false;
    let isNews = event.type === "snapshot";
    if (event.type === "update") {
      const {
        alerts_changed,
        server_alerts_changed = [],
        runs_changed,
        groups_changed,
        attention_changed = [],
      } = event;
      const named = [alerts_changed, server_alerts_changed, runs_changed, groups_changed, attention_changed];
      isNews = named.some(({ length }) => length > 0);
    }
    for (const { robot_id: id, lost_while_moving: lost, maintenance } of event.robots) {
      const trouble = `${lost?.state ?? ""}${maintenance?.locked_at ?? ""}`;
      if (trouble === (troubles.get(id) ?? "")) continue;
      isNews = true;
      if (trouble === "") troubles.delete(id);
      else troubles.set(id, trouble);
    }
    return isNews;
  };
}

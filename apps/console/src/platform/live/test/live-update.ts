import type { LiveEvent } from "@suncrew/contract/live/live.ts";

type LiveUpdate = Extract<LiveEvent, { readonly type: "update" }>;

/** An update that carries this and nothing else. */
export function liveUpdate(carried: Partial<LiveUpdate> & Pick<LiveUpdate, "at">): LiveUpdate {
  return {
    type: "update",
    robots: [],
    sites: [],
    activity: [],
    groups_changed: [],
    runs_changed: [],
    rollouts_changed: [],
    alerts_changed: [],
    ...carried,
  };
}

import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import { useCallback, useSyncExternalStore } from "react";
import { onSessionChange } from "../../platform/session/session.ts";
import type { StartOrStop } from "../commands/public.ts";

/** This browser's Start All or Stop All of a group: under way, or over with something to tell. */
export interface GroupAction {
  readonly verb: StartOrStop;
  /** The members that it is for. */
  readonly robotIds: readonly number[];
  readonly isUnderWay: boolean;
  /** What came of each robot; empty while under way and where the call itself failed. */
  readonly results: readonly RobotResult[];
  /** Why the call itself failed; null where it did not. */
  readonly failure: string | null;
}

const actions = new Map<number, GroupAction>();
const listeners = new Map<number, Set<() => void>>();

// Another user must not see what this one did.
onSessionChange(() => {
  for (const groupId of actions.keys()) setGroupAction(groupId, null);
});

export function groupAction(groupId: number): GroupAction | null {
  return actions.get(groupId) ?? null;
}

/** Null forgets it: all robots succeeded, or the person has read what came of it. */
export function setGroupAction(groupId: number, action: GroupAction | null): void {
  if (action === null) actions.delete(groupId);
  else actions.set(groupId, action);
  for (const listener of listeners.get(groupId) ?? []) listener();
}

/** Outlives the card, so that another tab of the page does not lose what came of an order. */
export function useGroupAction(groupId: number): GroupAction | null {
  const subscribe = useCallback(
    (listener: () => void) => {
      const set = listeners.get(groupId) ?? new Set();
      listeners.set(groupId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(groupId) === set) listeners.delete(groupId);
      };
    },
    [groupId],
  );
  return useSyncExternalStore(subscribe, () => groupAction(groupId));
}

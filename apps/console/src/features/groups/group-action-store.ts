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

/** The stream tells within this time what the robots of an answered Start All do, in milliseconds. */
const JUST_STARTED_MS = 5_000;

const actions = new Map<number, GroupAction>();
const justStarted = new Map<number, ReturnType<typeof setTimeout>>();
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

/**
 * Robots of the group were started, as the answer says; the stream may tell so a moment later. Until then Stop All must
 * not be taken back from under a finger. A Stop All ends it.
 */
export function noteJustStarted(groupId: number, started: boolean): void {
  clearTimeout(justStarted.get(groupId));
  justStarted.delete(groupId);
  if (started)
    justStarted.set(
      groupId,
      setTimeout(() => noteJustStarted(groupId, false), JUST_STARTED_MS),
    );
  for (const listener of listeners.get(groupId) ?? []) listener();
}

/** True for a moment after a Start All of this browser. */
export function useJustStarted(groupId: number): boolean {
  return useSyncExternalStore(useSubscription(groupId), () => justStarted.has(groupId));
}

/** Outlives the card, so that another tab of the page does not lose what came of an order. */
export function useGroupAction(groupId: number): GroupAction | null {
  return useSyncExternalStore(useSubscription(groupId), () => groupAction(groupId));
}

function useSubscription(groupId: number): (listener: () => void) => () => void {
  return useCallback(
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
}

import { alertList } from "@suncrew/contract/alerts/alerts.ts";
import { groupList } from "@suncrew/contract/groups/groups.ts";
import { runsCalendar, runsList, runsNight, runsToday } from "@suncrew/contract/runs/runs.ts";
import { getRobotSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { siteDetails, type Site } from "@suncrew/contract/sites/sites.ts";
import type { LiveEvent } from "@suncrew/contract/live/live.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { robotDetailsWithSettings, type RobotLive } from "@suncrew/contract/robots/robots.ts";
import { replaceEqualDeep } from "@tanstack/react-query";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { queryClient } from "../api/query-client.ts";
import { queryKeyOf } from "../api/route-query.ts";
import { firstContentShown } from "../first-content.ts";
import { currentSession, endSession, onSessionChange } from "../session/session.ts";
import { LiveConnection } from "./live-connection.ts";
import { LiveStore, type LiveStatus, type RobotEntry } from "./live-store.ts";
import { invalidateSeen, isOfSite, readScopeAgain } from "./scope-change.ts";
import { InvalidationQueue } from "./invalidation-queue.ts";

/** The state of robots and sites; for reading outside of components. */
export const liveStore = new LiveStore();

const invalidations = new InvalidationQueue({ invalidateQueries: (filters) => invalidateSeen(queryClient, filters) });

let scopeReading: Promise<void> = Promise.resolve();

/** Refetches what the user may see, because that has changed; never rejects. */
export function readScope(): Promise<void> {
  scopeReading = readScopeAgain(queryClient);
  return scopeReading;
}

/** Waits until what the user may see is refetched; not at all unless it has just changed. */
export function scopeRead(): Promise<void> {
  return scopeReading;
}

const connection = new LiveConnection({
  store: liveStore,
  onEvents: (events) => void takeEvents(events),
  onEnd: (reason) => {
    const session = currentSession();
    if (reason === "session" && session !== null) endSession(session.token);
    // What the user may see has changed: the next stream begins with a new snapshot.
    if (reason === "scope") void readScope();
  },
});

/**
 * Keeps the live stream open while somebody is signed in, from when the first robots are shown; returns a function that
 * stops it.
 */
export function followLive(): () => void {
  const follow = () => {
    if (currentSession() !== null) return connection.start();
    connection.stop();
    liveStore.clear();
  };
  let unfollow: (() => void) | null = null;
  let isOver = false;
  liveStore.setStatus("connecting");
  const start = () => {
    if (isOver) return;
    unfollow = onSessionChange(follow);
    follow();
  };
  void firstContentShown().then(start);
  return () => {
    isOver = true;
    unfollow?.();
    connection.stop();
    liveStore.clear();
  };
}

/** All that this browser knows about a robot; renders again for this robot only. */
export function useRobotEntry(robotId: number): RobotEntry {
  const subscribe = useCallback((listener: () => void) => liveStore.subscribe(`robot:${robotId}`, listener), [robotId]);
  return useSyncExternalStore(subscribe, () => liveStore.entry(robotId));
}

/** The live part of a robot; undefined until the stream has named it. */
export function useRobotLive(robotId: number): RobotLive | undefined {
  return useRobotEntry(robotId).robot ?? undefined;
}

const subscribeToAll = (listener: () => void) => liveStore.subscribe("any", listener);

/**
 * A value computed from many robots; renders again only if it differs by `isSame`. `read` must not change
 * from one rendering to the next.
 */
export function useLiveValue<T>(read: () => T, isSame: (one: T, other: T) => boolean = Object.is): T {
  const snapshot = useMemo(() => latestValue(read, isSame), [read, isSame]);
  return useSyncExternalStore(subscribeToAll, snapshot);
}

/** Reads once for each version of the store, and returns the previous value if it is the same. */
function latestValue<T>(read: () => T, isSame: (one: T, other: T) => boolean): () => T {
  let last: { readonly version: number; readonly value: T } | null = null;
  return () => {
    const version = liveStore.version();
    if (last?.version === version) return last.value;
    const value = read();
    last = { version, value: last !== null && isSame(last.value, value) ? last.value : value };
    return last.value;
  };
}

/** For lists in `useLiveValue` of which some fields do not matter. */
export function sameApartFrom<T extends object>(
  ...fields: readonly (keyof T)[]
): (one: readonly T[], other: readonly T[]) => boolean {
  const ignored: ReadonlySet<PropertyKey> = new Set(fields);
  const relevant = (item: T) =>
    JSON.stringify(item, (field, value: unknown) => (ignored.has(field) ? undefined : value));
  return (one, other) =>
    one.length === other.length &&
    one.every((item, index) => {
      const now = other[index];
      return item === now || (now !== undefined && relevant(item) === relevant(now));
    });
}

/** For values of `useLiveValue` that are lists: the same items in the same order. */
export function hasSameItems<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, index) => Object.is(item, other[index]));
}

export function useLiveStatus(): LiveStatus {
  return useSyncExternalStore(
    (listener) => liveStore.subscribe("status", listener),
    () => liveStore.status(),
  );
}

/** Why the server opens no live stream for this browser, in its own words; null unless it has said so. */
export const liveRefusal = (): string | null => connection.refusal;

const eventListeners = new Set<(events: readonly LiveEvent[]) => void>();

/** Refetches a query that is shown, soon and once for many changes. */
export function noteStale(queryKey: readonly unknown[]): void {
  invalidations.note(queryKey);
}

/** Passes on the events of each flush, for what shows more of them than the latest state of robots and sites. */
export function onLiveEvents(listener: (events: readonly LiveEvent[]) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

async function takeEvents(events: readonly LiveEvent[]): Promise<void> {
  for (const listener of eventListeners) listener(events);

  // The sites first: what belonged to a deleted one is not requested any more.
  await patchSites(events);
  refreshStale(events);
  refreshRobots(events);
}

/** Updates the cached list of sites; a snapshot with other sites than the list refetches it. */
async function patchSites(events: readonly LiveEvent[]): Promise<void> {
  const changed = new Map<number, Site>();
  let snapshotIds: ReadonlySet<number> | null = null;
  for (const event of events) {
    if (event.type === "end") continue;
    if (event.type === "snapshot") snapshotIds = new Set(event.sites.map((site) => site.id));
    for (const site of event.sites) changed.set(site.id, site);
  }
  if (changed.size === 0 && snapshotIds === null) return;
  const key = queryKeyOf(siteDetails, {});
  const cached = queryClient.getQueryData<readonly Site[]>(key);
  if (cached === undefined) return;
  const known = new Set(cached.map((site) => site.id));
  const sameSites =
    (snapshotIds === null || snapshotIds.size === known.size) && [...changed.keys()].every((id) => known.has(id));
  if (!sameSites) {
    await queryClient.invalidateQueries({ queryKey: queryKeyOf(siteDetails) });
    return;
  }
  const sites = replaceEqualDeep(
    cached,
    cached.map((site) => changed.get(site.id) ?? site),
  );
  // A site is named with each message of its robots; pages render only if one of its figures differs.
  if (sites !== cached) queryClient.setQueryData<readonly Site[]>(key, sites);
}

/**
 * The versions of robots in the lists that were compared with every robot of the stream; from then on only those that
 * it names are compared.
 */
const comparedLists = new WeakMap<object, ReadonlyMap<number, number>>();

/**
 * Refetches the robots of a site if somebody has edited, added or deleted one: the stream reports that it happened,
 * but not a robot's name and motors.
 */
function refreshRobots(events: readonly LiveEvent[]): void {
  const lists = queryClient.getQueriesData<ResponseOf<typeof robotDetailsWithSettings>>({
    queryKey: queryKeyOf(robotDetailsWithSettings),
  });
  // One that was added a moment ago may be listed before the stream names it; a snapshot names all.
  const namesAll = events.some(({ type }) => type === "snapshot");
  const named = events.flatMap((event) => (event.type === "end" ? [] : event.robots.map((robot) => robot.robot_id)));
  for (const [queryKey, list] of lists) {
    if (list === undefined) continue;
    const compared = comparedLists.get(list);
    const listed = compared ?? new Map(list.robots.map((row) => [row.robot_id, row.version]));
    comparedLists.set(list, listed);
    const isNewer = ({ robot_id, site_id, version }: RobotLive) => {
      const known = listed.get(robot_id);
      return known === undefined ? isOfSite(queryKey, site_id) : version > known;
    };
    const isDeleted = (robotId: number) => liveStore.robot(robotId) === undefined;
    // A list that has just arrived may be older than what the stream reported before.
    const robots = compared ? named.flatMap((id) => liveStore.robot(id) ?? []) : [...liveStore.robots()];
    const isOld = robots.some(isNewer) || (namesAll && [...listed.keys()].some(isDeleted));
    if (!isOld) continue;
    // Until it has been read again.
    comparedLists.delete(list);
    invalidations.note(queryKey);
  }
}

/**
 * Refetches what the stream only names: groups and schedules of a site, and runs. A snapshot may have missed some.
 */
function refreshStale(events: readonly LiveEvent[]): void {
  const groups = new Set<number>();
  const runs = new Set<number>();
  let alerts = false;
  let anything = false;
  for (const event of events) {
    if (event.type === "snapshot") anything = true;
    if (event.type !== "update") continue;
    for (const siteId of event.groups_changed) groups.add(siteId);
    for (const siteId of event.runs_changed) runs.add(siteId);
    alerts ||= event.alerts_changed.length + (event.server_alerts_changed?.length ?? 0) > 0;
  }
  const refresh = (queryKey: readonly unknown[]) => invalidations.note(queryKey);
  if (anything) {
    for (const route of [groupList, getRobotSchedule, runsCalendar, runsNight, runsList, runsToday, alertList]) {
      refresh(queryKeyOf(route));
    }
    return;
  }
  if (alerts) refresh(queryKeyOf(alertList));
  for (const siteId of groups) {
    refresh([groupList.path, { siteId }]);
    refresh([getRobotSchedule.path, { siteId }]);
  }
  // Planned runs change with the schedules, finished ones with the runs.
  for (const siteId of new Set([...groups, ...runs])) {
    refresh([runsCalendar.path, { siteId }]);
    refresh([runsNight.path, { siteId }]);
  }
  if (groups.size + runs.size > 0) {
    refresh(queryKeyOf(runsToday));
    refresh(queryKeyOf(runsList));
  }
}

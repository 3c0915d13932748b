import {
  type Group,
  groupSendCommand,
  type ManyRobotsResponse,
  type RobotResult,
  siteStop,
} from "@suncrew/contract/groups/groups.ts";
import type { RobotLive } from "@suncrew/contract/robots/robots.ts";
import { groupOutcomeOf, groupSuccessMessage, wereAlreadyStopped } from "@suncrew/domain/groups/groups.ts";
import { useCallback, useSyncExternalStore } from "react";
import { callSlots } from "../../platform/api/call-slots.ts";
import { call } from "../../platform/api/call.ts";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { liveStore } from "../../platform/live/live.ts";
import { onSessionChange } from "../../platform/session/session.ts";
import { toast } from "../../platform/toast.tsx";
import { confirmedIn, newPress, reasonOf, type StartOrStop } from "../commands/public.ts";
import { noteCommandsDone } from "../robots/public.ts";
import { groupOutcomeTitle, robotsText, verbWords } from "./group-meaning.ts";

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

function groupAction(groupId: number): GroupAction | null {
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

interface GroupOrder {
  readonly group: Group;
  readonly verb: StartOrStop;
  /** A retry names the members that did not succeed; null is for all of them. */
  readonly only: readonly number[] | null;
}

/**
 * Start All or Stop All: one call for every member, whose outcome is told in a toast (§4 Group action outcome) and
 * stays on the group's card where a robot did not succeed. Never throws.
 */
export async function commandGroup({ group, verb, only }: GroupOrder): Promise<void> {
  const robotIds = only ?? group.robots.map(({ id }) => id);
  const mine = { verb, robotIds, isUnderWay: true, results: [], failure: null };
  const before = new Map(robotIds.map((id) => [id, liveStore.robot(id) ?? null]));
  setGroupAction(group.id, mine);
  // A Stop All that was pressed meanwhile has taken over the card; what a Start came to then is told by the robots.
  const isTakenOver = () => groupAction(group.id) !== mine;
  try {
    const { results } = await sendToGroup(group, verb, only);
    if (isTakenOver()) return;
    // First, so that Stop All is possible all the time: while the order is under way, and by what came of it.
    noteCommandsDone(confirmedIn(results), verb, (id) => before.get(id) ?? null);
    const outcome = groupOutcomeOf(results);
    setGroupAction(group.id, outcome === "all" ? null : { ...mine, isUnderWay: false, results });
    tellOutcome(group.group_name, verb, results);
  } catch (error) {
    if (isTakenOver()) return;
    if (error instanceof TokenExpiredError) return setGroupAction(group.id, null);
    const failure = reasonOf(error) ?? "The server gave no reason.";
    setGroupAction(group.id, { ...mine, isUnderWay: false, failure });
    toast.failure({
      title: groupOutcomeTitle.none,
      message: `Failed to send ${verb} command to group "${group.group_name}"`,
      reason: failure,
    });
  }
}

/** A Stop takes no slot and is sent at once. A Start takes one, or fails: it is never sent late. */
function sendToGroup(group: Group, command: StartOrStop, only: readonly number[] | null): Promise<ManyRobotsResponse> {
  const body = {
    siteId: group.site_id,
    groupId: group.id,
    command,
    mode: "AUTO" as const,
    ...(only === null ? {} : { robotObjectIds: [...only] }),
  };
  const robotIds = only ?? group.robots.map(({ id }) => id);
  const press = newPress();
  if (command === "STOP") {
    callSlots.preemptForStop({ robotIds });
    return call(groupSendCommand, { body }, { headers: press() });
  }
  return callSlots.run({
    kind: "start",
    robotIds,
    siteId: group.site_id,
    send: (signal) => call(groupSendCommand, { body }, { headers: press(), signal }),
  });
}

/** §4 Group action outcome: one of three toasts. */
function tellOutcome(groupName: string, verb: StartOrStop, results: readonly RobotResult[]): void {
  const outcome = groupOutcomeOf(results);
  const { done } = verbWords[verb];
  const succeeded = results.filter((result) => result.outcome === "SUCCESS").length;
  const title = groupOutcomeTitle[outcome];
  if (outcome === "all") {
    const sent = succeeded - confirmedIn(results).length;
    const stood = results.filter(wereAlreadyStopped).length;
    const words =
      sent > 0
        ? `${verb} sent to ${robotsText(sent)}; will be recorded.`
        : stood > 0
          ? groupSuccessMessage(results, done)
          : `${robotsText(succeeded)} ${done}.`;
    toast.success({ title, message: `Group "${groupName}": ${words}` });
    return;
  }
  const message = `Group "${groupName}": ${groupSuccessMessage(results, done)}`;
  const pending = results.filter((result) => result.pending).length;
  const reason = pending === 0 ? undefined : `STOP is kept for ${robotsText(pending)} until confirmed.`;
  toast.failure({ title, message, reason });
}

/** What came of Stop all robots: a result for each robot, or why the call itself failed. */
export interface SiteStopped {
  readonly results: readonly RobotResult[];
  readonly failure: string | null;
}

/** Stops every robot of a site by one call, which waits behind nothing; never throws. Null where the session is over. */
export async function stopSite(siteId: number): Promise<SiteStopped | null> {
  const before = robotsOf(siteId);
  const byId = new Map(before.map((robot) => [robot.robot_id, robot]));
  callSlots.preemptForStop({ robotIds: before.map((robot) => robot.robot_id), siteId });
  try {
    const { results } = await call(siteStop, { body: { siteId } }, { headers: newPress()() });
    noteCommandsDone(confirmedIn(results), "STOP", (id) => byId.get(id) ?? null);
    return { results, failure: null };
  } catch (error) {
    if (error instanceof TokenExpiredError) return null;
    return { results: [], failure: reasonOf(error) ?? "The server gave no reason." };
  }
}

function robotsOf(siteId: number): RobotLive[] {
  return [...liveStore.robots()].filter((robot) => robot.site_id === siteId);
}

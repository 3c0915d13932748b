import {
  type Group,
  groupSendCommand,
  type ManyRobotsResponse,
  type RobotResult,
  robotsSendCommand,
  siteStop,
} from "@suncrew/contract/groups/groups.ts";
import {
  groupOutcomeOf,
  groupSuccessMessage,
  wereAlreadyStopped,
  robotCountText,
} from "@suncrew/domain/groups/groups.ts";
import { useCallback, useSyncExternalStore } from "react";
import { callSlots } from "../../platform/api/call-slots.ts";
import { call } from "../../platform/api/call.ts";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { liveStore } from "../../platform/live/live.ts";
import { onSessionChange } from "../../platform/session/session.ts";
import { toast } from "../../platform/toast.tsx";
import { confirmedRobots, newPressHeaders, reasonOf, type StartOrStop, groupOutcomeTitle } from "../commands/public.ts";
import { showConfirmedCommands } from "../robots/public.ts";
import { verbTexts } from "./group-looks.ts";

/** This browser's Start All or Stop All of a group: in progress, or finished with a result to show. */
export interface GroupAction {
  readonly verb: StartOrStop;
  /** The members that it is for. */
  readonly robotIds: readonly number[];
  readonly isUnderWay: boolean;
  /** Each robot's result; empty while in progress and if the call itself failed. */
  readonly results: readonly RobotResult[];
  /** Why the call itself failed; null if it did not. */
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

/** Null removes it: all robots succeeded, or the person has closed the result. */
export function setGroupAction(groupId: number, action: GroupAction | null): void {
  if (action === null) actions.delete(groupId);
  else actions.set(groupId, action);
  for (const listener of listeners.get(groupId) ?? []) listener();
}

/** Outlives the card, so that switching tabs does not lose a result. */
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

interface GroupCommand {
  readonly group: Group;
  readonly verb: StartOrStop;
  /** A retry names the members that did not succeed; null is for all of them. */
  readonly only: readonly number[] | null;
}

/**
 * Start All or Stop All: one call for all members, whose outcome is shown in a toast (§4 Group action outcome) and
 * stays on the group's card if a robot did not succeed. Never throws.
 */
export async function sendGroupCommand({ group, verb, only }: GroupCommand): Promise<void> {
  const robotIds = only ?? group.robots.map(({ id }) => id);
  const own = { verb, robotIds, isUnderWay: true, results: [], failure: null };
  setGroupAction(group.id, own);
  // A Stop All pressed since then owns the card; the robots themselves show the outcome of the Start.
  const isSuperseded = () => groupAction(group.id) !== own;
  try {
    const { results } = await sendToGroup(group, verb, only);
    if (isSuperseded()) return;
    // First, so that Stop All stays enabled throughout: while the command is in progress, and by its outcome.
    showConfirmedCommands(confirmedRobots(results), verb);
    const outcome = groupOutcomeOf(results);
    setGroupAction(group.id, outcome === "all" ? null : { ...own, isUnderWay: false, results });
    showOutcome(group.group_name, verb, results);
  } catch (error) {
    if (isSuperseded()) return;
    if (error instanceof TokenExpiredError) return setGroupAction(group.id, null);
    const failure = reasonOf(error) ?? "The server gave no reason.";
    setGroupAction(group.id, { ...own, isUnderWay: false, failure });
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
  const headers = newPressHeaders();
  if (command === "STOP") {
    callSlots.preemptForStop({ robotIds });
    return call(groupSendCommand, { body }, { headers: headers() });
  }
  return callSlots.run({
    kind: "start",
    robotIds,
    siteId: group.site_id,
    send: (signal) => call(groupSendCommand, { body }, { headers: headers(), signal }),
  });
}

/** §4 Group action outcome: one of three toasts. */
function showOutcome(groupName: string, verb: StartOrStop, results: readonly RobotResult[]): void {
  const outcome = groupOutcomeOf(results);
  const { done } = verbTexts[verb];
  const succeeded = results.filter((result) => result.outcome === "SUCCESS").length;
  const title = groupOutcomeTitle[outcome];
  if (outcome === "all") {
    const sent = succeeded - confirmedRobots(results).length;
    const alreadyStopped = results.filter(wereAlreadyStopped).length;
    const text =
      sent > 0
        ? `${verb} sent to ${robotCountText(sent)}; will be recorded.`
        : alreadyStopped > 0
          ? groupSuccessMessage(results, done)
          : `${robotCountText(succeeded)} ${done}.`;
    toast.success({ title, message: `Group "${groupName}": ${text}` });
    return;
  }
  const message = `Group "${groupName}": ${groupSuccessMessage(results, done)}`;
  const pending = results.filter((result) => result.pending).length;
  const reason = pending === 0 ? undefined : `STOP is stored for ${robotCountText(pending)} until confirmed.`;
  toast.failure({ title, message, reason });
}

/** The outcome of a command for many robots: a result for each that an answer came for, and why a call failed. */
export interface ManyOutcome {
  readonly results: readonly RobotResult[];
  readonly failure: string | null;
}

/** Every robot of a site, or as many robots of any sites as one call takes. */
type ToStop = { readonly siteId: number } | { readonly robotIds: readonly number[] };

/** Stops them by one call that is never queued; never throws. Null if the session has expired. */
export async function stopAtOnce(toStop: ToStop): Promise<ManyOutcome | null> {
  const headers = newPressHeaders();
  try {
    const { results } = await ("siteId" in toStop
      ? stopSite(toStop.siteId, headers())
      : stop(toStop.robotIds, headers()));
    showConfirmedCommands(confirmedRobots(results), "STOP");
    return { results, failure: null };
  } catch (error) {
    if (error instanceof TokenExpiredError) return null;
    return { results: [], failure: reasonOf(error) ?? "The server gave no reason." };
  }
}

type Headers = Readonly<Record<string, string>>;

function stopSite(siteId: number, headers: Headers): Promise<ManyRobotsResponse> {
  const robotIds = [...liveStore.robots()].flatMap((robot) => (robot.site_id === siteId ? [robot.robot_id] : []));
  callSlots.preemptForStop({ robotIds, siteId });
  return call(siteStop, { body: { siteId } }, { headers });
}

function stop(robotIds: readonly number[], headers: Headers): Promise<ManyRobotsResponse> {
  callSlots.preemptForStop({ robotIds });
  return call(robotsSendCommand, { body: { command: "STOP", robotObjectIds: [...robotIds] } }, { headers });
}

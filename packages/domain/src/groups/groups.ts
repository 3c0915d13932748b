import type { RobotOutcome, RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";
import { type KnownMotion, wasSeenMoving } from "../robots/lost-while-moving.ts";

/** §5 Robot group: names are compared ignoring case and spaces. Empty if nothing but spaces was typed. */
export function groupNameKey(name: string): string {
  return name.normalize("NFC").replaceAll(/\s+/gu, "").toLowerCase();
}

export type GroupStatus = "normal" | "standby" | "warning";

/**
 * §4 Group status: normal if all members are, standby if none is, otherwise warning. A group without robots is on
 * standby.
 */
export function groupStatusOf(members: readonly { readonly status: RobotStatus }[]): GroupStatus {
  const normal = members.filter(({ status }) => status === "normal").length;
  if (normal === 0) return "standby";
  return normal === members.length ? "normal" : "warning";
}

/** §4 Group status: n of 'Online: n/m'; idle robots count as well as normal ones. */
export function onlineMembersOf(members: readonly { readonly status: RobotStatus }[]): number {
  return members.filter(({ status }) => status === "normal" || status === "idle").length;
}

interface GroupMember {
  readonly status: RobotStatus;
  readonly motion: KnownMotion | null;
  /** Why its site's wind and rain guard lets no robot start; null where it does. */
  readonly badWeather?: string | null;
}

/** Why a group's button is disabled, as a code. */
export type GroupBlockedReason =
  | "empty"
  | "member-running"
  | "member-may-be-moving"
  | "none-running"
  | "in-progress"
  | "weather";

/**
 * §4 Button enabling: Start All is disabled if any member is normal, Stop All if no member is. Stop All is also
 * possible whenever a member moves or was lost while it moved (protocol rule 13), whatever its status says, and while a
 * start of the group is in progress.
 */
export const groupCan = {
  startAll(members: readonly GroupMember[], commandInProgress: boolean): GroupBlockedReason | null {
    if (members.length === 0) return "empty";
    if (commandInProgress) return "in-progress";
    if (members.some(({ status, motion }) => status === "normal" || motion === "MOVING")) return "member-running";
    if (members.some(({ motion }) => motion === "MAY_BE_MOVING")) return "member-may-be-moving";
    return members.some(({ badWeather = null }) => badWeather !== null) ? "weather" : null;
  },
  stopAll(members: readonly GroupMember[], startInProgress: boolean): GroupBlockedReason | null {
    if (members.length === 0) return "empty";
    const isAnyToStop = members.some(({ status, motion }) => status === "normal" || wasSeenMoving(motion));
    return startInProgress || isAnyToStop ? null : "none-running";
  },
};

export type GroupOutcome = "all" | "some" | "none";

/** §4 Group action outcome; a skipped robot counts as not succeeded. */
export function groupOutcomeOf(results: readonly { readonly outcome: RobotOutcome }[]): GroupOutcome {
  const succeeded = results.filter(({ outcome }) => outcome === "SUCCESS").length;
  if (succeeded === 0) return "none";
  return succeeded === results.length ? "all" : "some";
}

type Counted = Pick<RobotResult, "outcome" | "pending" | "was_moving">;

/** A robot that had already stopped when it was told to. */
export function wereAlreadyStopped({ outcome, pending, was_moving }: Counted): boolean {
  return outcome === "SUCCESS" && !pending && was_moving === false;
}

const number = (count: number) => count.toLocaleString("en-GB");

/** "1 robot", "1,200 robots". */
export function robotCountText(count: number): string {
  return count === 1 ? "1 robot" : `${number(count)} robots`;
}

/**
 * What was done to how many: "2 of 3 robots started.", "1 of 1 robot stopped. 2 already stopped.", "4 robots already
 * stopped."
 */
export function groupSuccessMessage(results: readonly Counted[], done: string): string {
  const stood = results.filter(wereAlreadyStopped).length;
  const of = results.length - stood;
  const succeeded = results.filter(({ outcome, pending }) => outcome === "SUCCESS" && !pending).length - stood;
  if (of === 0) return `${robotCountText(stood)} already stopped.`;
  return `${number(succeeded)} of ${robotCountText(of)} ${done}.${stood === 0 ? "" : ` ${number(stood)} already stopped.`}`;
}

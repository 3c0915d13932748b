import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";

export type GroupStatus = "normal" | "standby" | "warning";

/** §4 Group status: normal if all members are, standby if none is, else warning. A group without robots is standby. */
export function groupStatusOf(members: readonly { readonly status: RobotStatus }[]): GroupStatus {
  const normal = members.filter(({ status }) => status === "normal").length;
  if (normal === 0) return "standby";
  return normal === members.length ? "normal" : "warning";
}

/** §4 Group status: n of 'Online: n/m'; idle robots count as well as normal ones. */
export function onlineMembersOf(members: readonly { readonly status: RobotStatus }[]): number {
  return members.filter(({ status }) => status === "normal" || status === "idle").length;
}

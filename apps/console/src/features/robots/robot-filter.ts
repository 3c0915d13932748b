import type { RobotStatus } from "@suncrew/contract/robots/robots.ts";

/** §2 Robots tab: the status filter, as it stands in the address. */
export type RobotFilter = "all" | "normal" | "warning" | "fault" | "offline";

export const ROBOT_FILTERS: readonly RobotFilter[] = ["all", "normal", "warning", "fault", "offline"];

export const robotFilterWord: Record<RobotFilter, string> = {
  all: "All Status",
  normal: "Normal",
  warning: "Warning",
  fault: "Fault",
  offline: "Offline",
};

/** "Fault" selects critical, which is what the device's fault is mapped to (§4). */
const statusOf: Record<Exclude<RobotFilter, "all">, RobotStatus> = {
  normal: "normal",
  warning: "warning",
  fault: "critical",
  offline: "offline",
};

/** The filter that an address names; all where it names none. */
export function robotFilterOf(text: string | null): RobotFilter {
  return ROBOT_FILTERS.find((filter) => filter === text) ?? "all";
}

export function passesFilter(filter: RobotFilter, status: RobotStatus): boolean {
  return filter === "all" || statusOf[filter] === status;
}

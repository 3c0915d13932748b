import type { ActionType, ActivityEntry, ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import { IconAlertOctagon, IconCircleCheck, IconHandStop } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import type { ActionFilter } from "./activity-address.ts";

/** §2 Activity Log page: the action filter. */
export const actionFilterWord: Record<ActionFilter, string> = { all: "All Actions", START: "Start", STOP: "Stop" };

export const actionWord: Record<ActivityEntry["action"], string> = { START: "Start", STOP: "Stop" };

export const actionTypeWord: Record<ActionType, string> = {
  MANUAL: "Manual",
  GROUP: "Group",
  SCHEDULED: "Scheduled",
  SYSTEM: "System",
};

export const outcomeLook: Record<ActivityStatus, Look> = {
  SUCCESS: { label: "Success", tone: "good", icon: IconCircleCheck },
  FAILED: { label: "Failed", tone: "poor", icon: IconAlertOctagon },
  REFUSED: { label: "Refused", tone: "fair", icon: IconHandStop },
};

export const directionWord: Record<ActivityEntry["paramsObj"]["direction"], string> = {
  FWD: "Forward",
  REV: "Reverse",
};

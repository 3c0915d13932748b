import type { ActionType, ActivityEntry, ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import type { CleaningDirection } from "@suncrew/contract/robots/robots.ts";

/** The texts of the activity log: the same on screen, in files and in reports. */
export const actionWord: Readonly<Record<ActivityEntry["action"], string>> = { START: "Start", STOP: "Stop" };

export const actionTypeWord: Readonly<Record<ActionType, string>> = {
  MANUAL: "Manual",
  GROUP: "Group",
  SCHEDULED: "Scheduled",
  SYSTEM: "System",
};

export const activityStatusWord: Readonly<Record<ActivityStatus, string>> = {
  SUCCESS: "Success",
  FAILED: "Failed",
  REFUSED: "Refused",
};

/** As it is stored, and as it is sent to robots. */
export const directionWord: Readonly<Record<CleaningDirection | ActivityEntry["paramsObj"]["direction"], string>> = {
  FORWARD: "Forward",
  REVERSE: "Reverse",
  FWD: "Forward",
  REV: "Reverse",
};

/** §2 Activity Log page: column titles. */
export const activityColumnName = {
  localTime: "Timestamp (local)",
  timezone: "Time Zone",
  utcTime: "Timestamp (UTC)",
  action: "Action",
  actionType: "Action Type",
  user: "UserName",
  status: "Status",
  site: "Site",
  partner: "Partner",
  robot: "Robot",
  serialNumber: "Serial Number",
  mode: "Mode",
  details: "Details",
  direction: "Direction",
  mainSpeed: "Main Speed",
  brushSpeed: "Brush Speed",
} as const;

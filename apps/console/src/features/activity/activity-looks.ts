import type { ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import { actionWord, activityStatusWord } from "@suncrew/domain/activity/activity-words.ts";
import { IconAlertOctagon, IconCircleCheck, IconHandStop } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import type { ActionFilter } from "./activity-url.ts";

/** §2 Activity Log page: the action filter. */
export const actionFilterWord: Record<ActionFilter, string> = { all: "All Actions", ...actionWord };

export const outcomeLook: Record<ActivityStatus, Look> = {
  SUCCESS: { label: activityStatusWord.SUCCESS, tone: "good", icon: IconCircleCheck },
  FAILED: { label: activityStatusWord.FAILED, tone: "poor", icon: IconAlertOctagon },
  REFUSED: { label: activityStatusWord.REFUSED, tone: "fair", icon: IconHandStop },
};

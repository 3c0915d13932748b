import { activityStatusSchema, type ActivityFilter, type ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import { useCallback } from "react";
import { type HistoryMode, useUrlState } from "../../platform/url-params.tsx";
import { choiceParam, dayParam, idParam, sameNames, textParam, type UrlSchema } from "../../platform/url-state.ts";
import { startOfDay } from "../../ui/days.ts";

/** §9: default action filter values. */
export const ACTION_FILTERS = ["all", "START", "STOP"] as const;
export type ActionFilter = (typeof ACTION_FILTERS)[number];

/** The filters in the URL; empty text and null do not filter. */
export interface ActivityFilters {
  readonly search: string;
  readonly action: ActionFilter;
  readonly siteId: number | null;
  readonly robotId: number | null;
  readonly user: string;
  readonly outcome: ActivityStatus | null;
  /** First and last day, `YYYY-MM-DD`, in the browser's time zone. */
  readonly from: string | null;
  readonly to: string | null;
}

export const EVERYTHING: ActivityFilters = {
  search: "",
  action: "all",
  siteId: null,
  robotId: null,
  user: "",
  outcome: null,
  from: null,
  to: null,
};

export const activityUrl: UrlSchema<ActivityFilters> = {
  search: textParam("q"),
  action: choiceParam("action", sameNames(ACTION_FILTERS), "all"),
  siteId: idParam("site"),
  robotId: idParam("robot"),
  user: textParam("user", 200),
  outcome: choiceParam("outcome", sameNames(activityStatusSchema.options), null),
  from: dayParam("from"),
  to: dayParam("to"),
};

/** Changing the site clears the robot: another site has other robots. */
export function withRobotOfSite(change: Partial<ActivityFilters>): Partial<ActivityFilters> {
  return change.siteId !== undefined && change.robotId === undefined ? { ...change, robotId: null } : change;
}

export function useActivityUrl(): FilterUrl {
  const { state: filters, change } = useUrlState(activityUrl);
  const changeFilters = useCallback(
    (by: Partial<ActivityFilters>, mode: HistoryMode) => change(withRobotOfSite(by), mode),
    [change],
  );
  return { filters, change: changeFilters };
}

export interface FilterUrl {
  readonly filters: ActivityFilters;
  readonly change: (by: Partial<ActivityFilters>, mode: HistoryMode) => void;
}

/** How many of the further filters, beside search and action, narrow the log. */
export function furtherFilters({ siteId, robotId, user, outcome, from, to }: ActivityFilters): number {
  return [siteId, robotId, user === "" ? null : user, outcome, from, to].filter((value) => value !== null).length;
}

/** The filters as the API takes them; days start and end in the browser's time zone. */
export function filterOf({
  search,
  action,
  siteId,
  robotId,
  user,
  outcome,
  from,
  to,
}: ActivityFilters): ActivityFilter {
  const text = search.trim();
  return {
    ...(text !== "" && { search: text }),
    ...(action !== "all" && { action }),
    ...(siteId !== null && { site_id: siteId }),
    ...(robotId !== null && { robot_id: robotId }),
    ...(user !== "" && { user }),
    ...(outcome !== null && { status: outcome }),
    ...(from !== null && { from: startOfDay(from, 0).toISOString() }),
    ...(to !== null && { to: startOfDay(to, 1).toISOString() }),
  };
}

import { activityStatusSchema } from "@suncrew/contract/activity/activity.ts";
import type { ActivityFilter, ActivityStatus } from "@suncrew/contract/activity/activity.ts";
import { isCalendarDate } from "@suncrew/domain/schedules/calendar-date.ts";
import { EARLIEST_DAY, startOfDay } from "../../ui/days.ts";

/** §9: default action filter values. */
export const ACTION_FILTERS = ["all", "START", "STOP"] as const;
export type ActionFilter = (typeof ACTION_FILTERS)[number];

/** What of the activity log stands in its address; empty text and null narrow nothing. */
export interface ActivityAddress {
  readonly search: string;
  readonly action: ActionFilter;
  readonly siteId: number | null;
  readonly robotId: number | null;
  readonly user: string;
  readonly outcome: ActivityStatus | null;
  /** First and last day, `YYYY-MM-DD`, by the clock of the browser. */
  readonly from: string | null;
  readonly to: string | null;
}

export const EVERYTHING: ActivityAddress = {
  search: "",
  action: "all",
  siteId: null,
  robotId: null,
  user: "",
  outcome: null,
  from: null,
  to: null,
};

const names: Record<keyof ActivityAddress, string> = {
  search: "q",
  action: "action",
  siteId: "site",
  robotId: "robot",
  user: "user",
  outcome: "outcome",
  from: "from",
  to: "to",
};

/** What the address names; a part that cannot be read is as if it were not there. */
export function readActivityAddress(params: URLSearchParams): ActivityAddress {
  const part = (key: keyof ActivityAddress) => params.get(names[key]) ?? "";
  const id = (text: string) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : null);
  const day = (text: string) => (isCalendarDate(text) && text >= EARLIEST_DAY ? text : null);
  return {
    search: part("search").slice(0, 100),
    action: ACTION_FILTERS.find((action) => action === part("action")) ?? "all",
    siteId: id(part("siteId")),
    robotId: id(part("robotId")),
    user: part("user").slice(0, 200),
    outcome: activityStatusSchema.options.find((status) => status === part("outcome")) ?? null,
    from: day(part("from")),
    to: day(part("to")),
  };
}

/** The address with a change; what narrows nothing is left out, what is not of the log's filters is kept. */
export function changeActivityAddress(params: URLSearchParams, change: Partial<ActivityAddress>): URLSearchParams {
  const next = new URLSearchParams(params);
  const wanted = { ...readActivityAddress(params), ...change };
  // Another site has other robots.
  if (change.siteId !== undefined && change.robotId === undefined) wanted.robotId = null;
  for (const key of Object.keys(names) as (keyof ActivityAddress)[]) {
    const value = wanted[key];
    if (value === null || value === "" || value === EVERYTHING[key]) next.delete(names[key]);
    else next.set(names[key], String(value));
  }
  return next;
}

/** How many of the further filters, beside search and action, narrow the log. */
export function furtherFilters({ siteId, robotId, user, outcome, from, to }: ActivityAddress): number {
  return [siteId, robotId, user === "" ? null : user, outcome, from, to].filter((value) => value !== null).length;
}

/** The same as the call takes it; days begin and end by the clock of the browser. */
export function filterOf({
  search,
  action,
  siteId,
  robotId,
  user,
  outcome,
  from,
  to,
}: ActivityAddress): ActivityFilter {
  const words = search.trim();
  return {
    ...(words !== "" && { search: words }),
    ...(action !== "all" && { action }),
    ...(siteId !== null && { site_id: siteId }),
    ...(robotId !== null && { robot_id: robotId }),
    ...(user !== "" && { user }),
    ...(outcome !== null && { status: outcome }),
    ...(from !== null && { from: startOfDay(from, 0).toISOString() }),
    ...(to !== null && { to: startOfDay(to, 1).toISOString() }),
  };
}

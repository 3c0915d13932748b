import { choiceParam, dayParam, idParam, textParam, type UrlSchema } from "../../../platform/url-state.ts";

/** Which sites are shown; null or empty is no filter. */
export interface CalendarFilter {
  readonly search: string;
  /** The federal state of the site. */
  readonly state: string;
  readonly partnerId: number | null;
  /** Only sites with a run that went wrong in the nights shown. */
  readonly isTroubledOnly: boolean;
}

/** The fleet calendar's state in its URL. */
export interface CalendarUrl extends CalendarFilter {
  /** The evening of the first night, and on a phone of the only one; null for the nights around tonight. */
  readonly from: string | null;
  readonly days: 7 | 14;
  readonly order: "name" | "worst";
  /** The night whose details are open. */
  readonly siteId: number | null;
  readonly night: string | null;
}

export const NO_FILTER: CalendarFilter = { search: "", state: "", partnerId: null, isTroubledOnly: false };

export function isFiltered(filter: CalendarFilter): boolean {
  return Object.keys(NO_FILTER).some((key) => Reflect.get(filter, key) !== Reflect.get(NO_FILTER, key));
}

export const calendarUrl: UrlSchema<CalendarUrl> = {
  search: textParam("q"),
  state: textParam("state"),
  partnerId: idParam("partner"),
  isTroubledOnly: choiceParam("show", { trouble: true } as const, false),
  from: dayParam("from"),
  days: choiceParam("days", { 14: 14 } as const, 7),
  order: choiceParam("order", { worst: "worst" } as const, "name"),
  siteId: idParam("site"),
  night: dayParam("night"),
};

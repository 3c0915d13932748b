import { type HistorySpan, historySpanSchema } from "@suncrew/contract/robot-history/robot-history.ts";
import { type UrlState, useUrlParams, useUrlState } from "../../platform/url-params.tsx";
import { choiceParam, sameNames, type UrlParam, type UrlSchema, writeUrl } from "../../platform/url-state.ts";

export const RECORD_TABS = ["runs", "alerts", "commands", "maintenance", "firmware", "settings"] as const;
export type RecordTab = (typeof RECORD_TABS)[number];

/** The state of a robot's page in its URL. */
export interface RobotUrl {
  readonly span: HistorySpan;
  /** The moment in the middle, ISO 8601 in UTC; null for now. */
  readonly at: string | null;
  readonly tab: RecordTab;
}

/** To the minute: "2026-11-25T02:00Z". */
export const momentParam: UrlParam<string | null> = {
  name: "at",
  parse: (text) => {
    const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(ms) ? null : new Date(ms).toISOString();
  },
  format: (at) => (at === null ? "" : `${at.slice(0, 16)}Z`),
};

export const robotUrl: UrlSchema<RobotUrl> = {
  span: choiceParam("span", sameNames(historySpanSchema.options), "24h"),
  at: momentParam,
  tab: choiceParam("tab", sameNames(RECORD_TABS), "runs"),
};

export const useRobotUrl = (): UrlState<RobotUrl> => useUrlState(robotUrl);

/** The page's own link to a moment, a day around it; everything else in the URL stays. */
export function useMomentLink(): (at: string) => string {
  const [params] = useUrlParams();
  return (at) => `?${writeUrl(robotUrl, params, { at, span: "24h" })}`;
}

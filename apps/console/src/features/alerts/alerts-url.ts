import { type Severity, severitySchema } from "@suncrew/contract/alerts/severity.ts";
import { type UrlState, useUrlState } from "../../platform/url-params.tsx";
import { choiceParam, idParam, sameNames, type UrlSchema } from "../../platform/url-state.ts";

export const ALERT_STATES = ["open", "cleared", "all"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** The state of the alert list, kept in the URL of the page below it. */
export interface AlertsUrl {
  readonly isOpen: boolean;
  readonly state: AlertState;
  readonly severity: Severity | null;
  readonly siteId: number | null;
  readonly robotId: number | null;
}

const severities = Object.fromEntries(severitySchema.options.map((severity) => [severity.toLowerCase(), severity]));

export const alertsUrl: UrlSchema<AlertsUrl> = {
  isOpen: choiceParam("dialog", { alerts: true }, false),
  state: choiceParam("state", sameNames(ALERT_STATES), "open"),
  severity: choiceParam("severity", severities, null),
  siteId: idParam("alert-site"),
  robotId: idParam("robot"),
};

/** Closing removes all of the list's parameters. */
export const ALERTS_CLOSED: AlertsUrl = { isOpen: false, state: "open", severity: null, siteId: null, robotId: null };

export const useAlertsUrl = (): UrlState<AlertsUrl> => useUrlState(alertsUrl);

import { type Severity, severitySchema } from "@suncrew/contract/alerts/severity.ts";

export const ALERT_STATES = ["open", "cleared", "all"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** What the list of alerts shows; it stands in the address of the page that it lies over. */
export interface AlertsAddress {
  readonly isOpen: boolean;
  readonly state: AlertState;
  readonly severity: Severity | null;
  readonly siteId: number | null;
  readonly robotId: number | null;
}

const DIALOG = "dialog";
const NAME = "alerts";
const STATE = "state";
const SEVERITY = "severity";
const SITE = "alert-site";
const ROBOT = "robot";

export const ALERTS_CLOSED: AlertsAddress = {
  isOpen: false,
  state: "open",
  severity: null,
  siteId: null,
  robotId: null,
};

export function readAlertsAddress(params: URLSearchParams): AlertsAddress {
  if (params.get(DIALOG) !== NAME) return ALERTS_CLOSED;
  return {
    isOpen: true,
    state: ALERT_STATES.find((state) => state === params.get(STATE)) ?? "open",
    severity: severitySchema.options.find((severity) => severity.toLowerCase() === params.get(SEVERITY)) ?? null,
    siteId: idIn(params.get(SITE)),
    robotId: idIn(params.get(ROBOT)),
  };
}

/** The address with a change; what is as by default is left out, and a closed list leaves nothing behind. */
export function changeAlertsAddress(params: URLSearchParams, change: Partial<AlertsAddress>): URLSearchParams {
  const { isOpen, state, severity, siteId, robotId } = { ...readAlertsAddress(params), ...change };
  const next = new URLSearchParams(params);
  const put = (name: string, value: string | null) => {
    if (value === null || !isOpen) next.delete(name);
    else next.set(name, value);
  };
  if (isOpen || next.get(DIALOG) === NAME) put(DIALOG, NAME);
  put(STATE, state === "open" ? null : state);
  put(SEVERITY, severity?.toLowerCase() ?? null);
  put(SITE, siteId === null ? null : String(siteId));
  put(ROBOT, robotId === null ? null : String(robotId));
  return next;
}

function idIn(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : null;
}

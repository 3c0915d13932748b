export { clearAlert, raiseAlert, syncAlerts } from "./alerts.writes.ts";
export type { AlertSource, StandingAlerts } from "./alerts.writes.ts";

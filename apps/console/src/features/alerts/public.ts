export { ALERTS_CLOSED, alertsUrl, useAlertsUrl } from "./alerts-url.ts";
export { SEVERITIES, severityLook } from "./alert-looks.ts";
export { AlertsDialog, RobotAlertsLink, WhoWasTold } from "./alerts-links.tsx";

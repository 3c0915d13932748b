export { ALERTS_CLOSED, alertsUrl, useAlertsUrl } from "./alerts-url.ts";
export { severityLook } from "./alert-looks.ts";
export { AlertsDialog, RobotAlertsLink } from "./alerts-links.tsx";
export { AlertsStrip } from "./alerts-strip.tsx";

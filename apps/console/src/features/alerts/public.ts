export { ALERTS_CLOSED, alertsUrl, useAlertsUrl } from "./alerts-url.ts";
export { severityLook } from "./alert-meaning.ts";
export { AlertsDialog } from "./lazy-alerts-dialog.tsx";
export { AlertsStrip } from "./alerts-strip.tsx";
export { RobotAlertsLink } from "./robot-alerts-link.tsx";

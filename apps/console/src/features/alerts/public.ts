export { ALERTS_CLOSED, changeAlertsAddress } from "./alerts-address.ts";
export { severityLook } from "./alert-meaning.ts";
export { AlertsDialog } from "./lazy-alerts-dialog.tsx";
export { AlertsStrip } from "./alerts-strip.tsx";
export { RobotAlertsLink } from "./robot-alerts-link.tsx";
export { useAlertsAddress } from "./use-alerts-address.ts";

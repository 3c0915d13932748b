export { AlertWatch } from "./alert-watch.ts";
export {
  type AlertSource,
  clearAlerts,
  clearSiteOutages as clearSiteOutages,
  endAlertsOf,
  endSiteAlerts,
  moveAlerts,
  raiseAlerts,
  type RaisedAlert,
  recordPastAlerts as recordPastAlerts,
  type CurrentAlerts as CurrentAlerts,
  syncAlerts,
} from "./alerts.repository.ts";
/** For the demo's history, which is written by what really looks. */
export { updateOfflineAlerts as updateOfflineAlerts } from "./offline-alerts.repository.ts";

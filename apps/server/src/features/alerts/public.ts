export { acknowledge, acknowledgeAlerts, unacknowledge } from "./alerts.service.ts";
export { AlertWatch } from "./alert-watch.ts";
export {
  type AlertSource,
  clearAlerts,
  clearSiteAlerts,
  clearSiteOutages,
  endAlertsOf,
  endSiteAlerts,
  moveAlerts,
  raiseAlerts,
  raiseSiteAlert,
  type RaisedAlert,
  recordPastAlerts,
  type CurrentAlerts,
  syncAlerts,
} from "./alerts.repository.ts";
/** For the demo's history, which is written by the same code. */
export { updateOfflineAlerts } from "./offline-alerts.repository.ts";
/** Of alerts about a whole site that are kept current. */
export { bringSiteAlert, openSiteAlert } from "./server-conditions.repository.ts";
/** Of alerts about Suncrew's own servers, one for each code. */
export {
  bringServerAlert,
  keepServerAlert,
  newestServerAlert,
  openServerAlert,
} from "./server-conditions.repository.ts";

export { AlertWatch } from "./alert-watch.ts";
export {
  type AlertSource,
  clearAlerts,
  clearDarkSites,
  endAlertsOf,
  endSiteAlerts,
  moveAlerts,
  raiseAlerts,
  type RaisedAlert,
  recordToldAlerts,
  type StandingAlerts,
  syncAlerts,
} from "./alerts.repository.ts";
/** For the demo's history, which is written by what really looks. */
export { lookForAwayRobots } from "./offline-alerts.repository.ts";

export { AlertWatch } from "./alert-watch.ts";
export {
  type AlertSource,
  clearAlerts,
  endAlertsOf,
  moveAlerts,
  raiseAlerts,
  type RaisedAlert,
  type StandingAlerts,
  syncAlerts,
} from "./alerts.repository.ts";
/** For the demo's history, which is written by what really looks. */
export { lookForAwayRobots } from "./away-robots.repository.ts";
export { clearDarkSites, endSiteAlerts } from "./site-alerts.repository.ts";
export { recordToldAlerts } from "./told-alerts.repository.ts";

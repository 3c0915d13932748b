export { AlertWatch } from "./alert-watch.ts";
export {
  type AlertSource,
  clearAlerts,
  endAlertsOf,
  moveAlerts,
  type RaisedAlert,
  raiseAlerts,
  type StandingAlerts,
  syncAlerts,
} from "./alerts.writes.ts";
/** For the demo's history, which is written by what really looks. */
export { lookForAwayRobots } from "./away-robots.writes.ts";
export { clearDarkSites, endSiteAlerts } from "./site-alerts.writes.ts";
export { recordToldAlerts } from "./told-alerts.writes.ts";

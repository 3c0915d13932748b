export { DayClosing } from "./day-closing.ts";
export { type DayFigures, noFigures, RUN_COLUMNS } from "./day-figures.ts";
export {
  hasFacts,
  readDayFigures,
  readRobotsWithin,
  readSiteAlerts,
  readStays,
  type SiteAlerts,
  type Stay,
} from "./day-figures.repository.ts";
export { daysClosedUntil, markLateReadings } from "./robot-days.repository.ts";

export { DayClosing } from "./day-closing.ts";
export { type DayFigures, noFigures, RUN_COLUMNS } from "./day-figures.ts";
export { readDayFigures, readRobotsWithin, readStays, type Stay, hasFacts } from "./day-figures.repository.ts";
export { daysClosedUntil } from "./robot-days.repository.ts";

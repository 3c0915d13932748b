export { DayClosing } from "./day-closing.ts";
export { daysClosedUntil } from "./robot-days.repository.ts";

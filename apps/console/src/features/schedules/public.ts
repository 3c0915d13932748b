export { clientScheduleOf } from "./client-schedule.ts";
export type { ClientSchedule } from "./client-schedule.ts";
export { ScheduleButton, ScheduleDialog } from "./schedule-button.tsx";
export type { ScheduledGroupProps } from "./schedule-button.tsx";
export { timesText } from "./schedule-looks.ts";
export { ScheduleSummary } from "./schedule-summary.tsx";

export { clientScheduleOf } from "./client-schedule.ts";
export type { ClientSchedule } from "./client-schedule.ts";
export { ScheduleButton } from "./schedule-button.tsx";
export type { ScheduledGroupProps } from "./schedule-button.tsx";
export { ScheduleSummary } from "./schedule-summary.tsx";

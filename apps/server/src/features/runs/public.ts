export { type MotionShown, recordMotions } from "./run-motions.writes.ts";
export { type EventTold, recordEvents } from "./run-events.writes.ts";
export { failPlannedRun } from "./run-rows.writes.ts";

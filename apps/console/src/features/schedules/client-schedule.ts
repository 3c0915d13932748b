import { SCHEDULE_DEFAULT_MINUTES, type Frequency, type Schedule } from "@suncrew/contract/schedules/schedules.ts";

/** §3 Robot group, the schedule of the client shape. `customDays` and `days` are stored and never sent. */
export interface ClientSchedule {
  readonly enabled: boolean;
  /** `HH:MM` at the site; empty if none is set. */
  readonly startTime: string;
  readonly durationMinutes: number;
  readonly frequency: Frequency;
  readonly customDays: 1;
  readonly days: readonly [];
}

/** A group's schedule in the client shape; without one, the dialog's defaults (§9 Schedule), not enabled. */
export function clientScheduleOf(schedule: Schedule | null): ClientSchedule {
  return {
    enabled: schedule?.status === "ACTIVE",
    startTime: schedule?.start_time.slice(11, 16) ?? "",
    durationMinutes: schedule?.duration_minutes ?? SCHEDULE_DEFAULT_MINUTES,
    frequency: schedule?.frequency ?? "ONCE",
    customDays: 1,
    days: [],
  };
}

import { MOST_DAYS_MAX, SCHEDULE_MAX_MINUTES, SCHEDULE_MIN_MINUTES } from "@suncrew/contract/schedules/schedules.ts";

export type ScheduleProblem = "invalid-duration" | "missing-start-time";

/** §5 Schedule: the specification's own messages, for the toast and for the server's answer. */
export const scheduleProblemText: Readonly<
  Record<ScheduleProblem, { readonly title: string; readonly message: string }>
> = {
  "invalid-duration": {
    title: "Invalid Duration",
    message: "Duration must be between 1 and 480 minutes.",
  },
  "missing-start-time": {
    title: "Missing Start Time",
    message: "Please set a start time for the schedule.",
  },
};

export interface ScheduleEntries {
  readonly enabled: boolean;
  /** As chosen; empty or null if nothing is. */
  readonly startTime: string | null;
  readonly durationMinutes: number;
}

/** The first problem that prevents saving a schedule, in the order of §5; null if there is none. */
export function validateSchedule(entries: ScheduleEntries): ScheduleProblem | null {
  if (!isDuration(entries.durationMinutes)) return "invalid-duration";
  if (entries.enabled && (entries.startTime ?? "").trim() === "") return "missing-start-time";
  return null;
}

/** A run lasts whole minutes, 1 to 480. */
export function isDuration(minutes: number): boolean {
  return Number.isInteger(minutes) && minutes >= SCHEDULE_MIN_MINUTES && minutes <= SCHEDULE_MAX_MINUTES;
}

/**
 * §5 Schedule: anything but a number becomes 1. Numbers stay as typed, so that 0 or 12.5 is reported and not altered.
 */
export function parseDurationInput(text: string): number {
  const typed = text.trim();
  return /^[+-]?\d+(\.\d+)?$/.test(typed) ? Number(typed) : 1;
}

/** Days between the runs of a schedule "when worth it", whatever a run is worth. */
export interface RunDays {
  readonly least: number;
  readonly most: number;
}

/** What is wrong with them, and with which; null if nothing is. */
export function runDaysProblem({
  least,
  most,
}: RunDays): { readonly of: keyof RunDays; readonly message: string } | null {
  const isDays = (days: number) => Number.isInteger(days) && days >= 1 && days <= MOST_DAYS_MAX;
  if (!isDays(least)) return { of: "least", message: `Least days must be between 1 and ${MOST_DAYS_MAX}.` };
  if (!isDays(most)) return { of: "most", message: `Most days must be between 1 and ${MOST_DAYS_MAX}.` };
  if (most < least) return { of: "most", message: "Most days must not be fewer than least days." };
  return null;
}

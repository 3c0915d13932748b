import type { NightState } from "@suncrew/contract/robot-history/nights.ts";

/** How a run counts for its night: a night is as good as its best run, the first of these. */
export const BEST_FIRST = [
  "COMPLETED",
  "RUNNING",
  "CUT_SHORT",
  "STOPPED",
  "FAILED",
  "MISSED",
  "SKIPPED",
] as const satisfies readonly NightState[];

/** States of nights that need a reason. */
export function isNotDone(state: NightState): boolean {
  return state !== "COMPLETED" && state !== "RUNNING" && state !== "NONE";
}

/** A site's local time. */
interface LocalHour {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** 0 to 23. */
  readonly hour: number;
}

const DAY_MS = 86_400_000;
/** From then on people call the night before "last night", and after it a day's run is no night's. */
const MORNING_HOUR = 6;
const NOON_HOUR = 12;
const EVENING_HOUR = 17;

/**
 * What people call the time of a run of this night or the last: "Tonight", "Last night"; by day "Today", "Yesterday",
 * "Two days ago".
 */
export function nightName(run: LocalHour, now: LocalHour): string {
  if (run.hour >= MORNING_HOUR && run.hour < EVENING_HOUR) {
    const daysAgo = (Date.parse(now.date) - Date.parse(run.date)) / DAY_MS;
    return daysAgo <= 0 ? "Today" : daysAgo === 1 ? "Yesterday" : "Two days ago";
  }
  const isMorning = now.hour >= MORNING_HOUR && now.hour < NOON_HOUR;
  const nightsAgo = (eveningMsOf(now) - eveningMsOf(run)) / DAY_MS + (isMorning ? 1 : 0);
  if (nightsAgo <= 0) return "Tonight";
  return nightsAgo === 1 ? "Last night" : "The night before last";
}

/** The date of its evening. */
function eveningMsOf({ date, hour }: LocalHour): number {
  return Date.parse(`${date}T00:00:00Z`) - (hour < NOON_HOUR ? DAY_MS : 0);
}

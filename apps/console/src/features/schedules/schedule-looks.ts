import {
  type Frequency,
  frequencySchema,
  type Schedule,
  type ScheduleStatus,
} from "@suncrew/contract/schedules/schedules.ts";
import { IconCalendarCheck, IconCalendarOff, IconCalendarTime } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";
import { dayText } from "../../ui/site-time-text.ts";

/** The frequencies in the order offered; the first is the default (§9). */
export const FREQUENCIES: readonly Frequency[] = frequencySchema.options;

export const frequencyWord: Record<Frequency, string> = {
  ONCE: "Once",
  DAILY: "Daily",
  WEEKLY: "Weekly",
  MONTHLY: "Monthly",
  WHEN_WORTH_IT: "When worth it",
};

/** When the next one is, if today's time has already passed (decisions, Time). */
export const nextTimeText: Record<Frequency, string> = {
  ONCE: "tomorrow",
  DAILY: "tomorrow",
  WEEKLY: "in a week",
  MONTHLY: "next month",
  WHEN_WORTH_IT: "tomorrow",
};

export const scheduleStatusLook: Record<ScheduleStatus, Look> = {
  ACTIVE: { label: "Active", tone: "plain", icon: IconCalendarTime },
  INACTIVE: { label: "Inactive", tone: "off", icon: IconCalendarOff },
  COMPLETED: { label: "Completed", tone: "calm", icon: IconCalendarCheck },
};

/** Why there is no next run. */
export const noNextRunText: Record<ScheduleStatus, string> = {
  ACTIVE: "No upcoming runs",
  INACTIVE: "Off: no runs will start",
  COMPLETED: "It has run. Edit it to run it again.",
};

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" });
/** The last day of the month that every month has. */
const LAST_DAY_OF_ALL = 28;

/** When a schedule runs, in one line in the site's own time: "Weekly on Saturday at 06:00". */
export function timesText({ frequency, start_time: startTime }: Pick<Schedule, "frequency" | "start_time">): string {
  const [date = "", time = ""] = startTime.split(" ");
  const at = `at ${time.slice(0, 5)}`;
  const word = frequencyWord[frequency];
  switch (frequency) {
    case "ONCE":
      return `${word}, ${dayText(date)} ${at}`;
    case "DAILY":
    case "WHEN_WORTH_IT":
      return `${word} ${at}`;
    case "WEEKLY":
      return `${word} on ${weekday.format(new Date(`${date}T00:00:00Z`))} ${at}`;
    case "MONTHLY":
      return `${word} on day ${dayOfMonth(date)} ${at}`;
  }
}

/** Decisions, Time: MONTHLY on a day that a month lacks runs on its last day; null if every month has the day. */
export function lastDayNote({ frequency, date }: { frequency: Schedule["frequency"]; date: string }): string | null {
  const day = dayOfMonth(date);
  if (frequency !== "MONTHLY" || !(day > LAST_DAY_OF_ALL)) return null;
  return `In months without a day ${day} it runs on their last day.`;
}

function dayOfMonth(date: string): number {
  return Number(date.slice(8, 10));
}

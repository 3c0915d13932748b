import type { Frequency, ScheduleStatus } from "@suncrew/contract/schedules/schedules.ts";
import { IconCalendarCheck, IconCalendarOff, IconCalendarTime } from "@tabler/icons-react";
import type { Look } from "../../ui/look.ts";

/** The frequencies in the order they are offered; the first is the default (§9). */
export const FREQUENCIES: readonly Frequency[] = ["ONCE", "DAILY", "WEEKLY", "MONTHLY"];

export const frequencyWord: Record<Frequency, string> = {
  ONCE: "Once",
  DAILY: "Daily",
  WEEKLY: "Weekly",
  MONTHLY: "Monthly",
};

/** When the next one comes, where today's time is past already (decisions, Time). */
export const nextTimeWords: Record<Frequency, string> = {
  ONCE: "tomorrow",
  DAILY: "tomorrow",
  WEEKLY: "in a week",
  MONTHLY: "next month",
};

export const scheduleStatusLook: Record<ScheduleStatus, Look> = {
  ACTIVE: { label: "Active", tone: "plain", icon: IconCalendarTime },
  INACTIVE: { label: "Inactive", tone: "off", icon: IconCalendarOff },
  COMPLETED: { label: "Completed", tone: "calm", icon: IconCalendarCheck },
};

/** Why nothing is to come, in words. */
export const noNextRunSentence: Record<ScheduleStatus, string> = {
  ACTIVE: "No run is to come.",
  INACTIVE: "Switched off: it runs nothing.",
  COMPLETED: "It has run. Edit it to run it again.",
};

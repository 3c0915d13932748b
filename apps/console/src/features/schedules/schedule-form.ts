import { LEAST_DAYS_DEFAULT, MOST_DAYS_DEFAULT, type Schedule } from "@suncrew/contract/schedules/schedules.ts";
import { startTimeOf } from "@suncrew/domain/schedules/calendar-date.ts";
import { effectiveStart } from "@suncrew/domain/schedules/next-run.ts";
import {
  parseDurationInput,
  runDaysProblem,
  type ScheduleProblem,
  scheduleProblemText,
  validateSchedule,
} from "@suncrew/domain/schedules/schedule-validation.ts";
import type { EntityRules } from "../../platform/form/entity-form.ts";
import { shortDayText } from "../../ui/days.ts";
import type { StoredForm } from "../../ui/merged-edits.ts";
import { type ClientSchedule, clientScheduleOf } from "./client-schedule.ts";
import type { ScheduleBody } from "./schedule-calls.ts";
import { frequencyWord } from "./schedule-looks.ts";

/** The Schedule dialog's state: the client shape, with the duration as typed and the added choices. */
export interface ScheduleForm extends Omit<ClientSchedule, "durationMinutes"> {
  readonly durationText: string;
  /** `YYYY-MM-DD` at the site; empty if none is set. Determines the weekday of WEEKLY and the day of MONTHLY. */
  readonly date: string;
  readonly skipOnRain: boolean;
  /** Days between runs as typed, for `WHEN_WORTH_IT`. */
  readonly leastDaysText: string;
  readonly mostDaysText: string;
}

/** A new schedule begins enabled and today; editing keeps the stored date, or today if a ONCE lies past (decisions). */
export function scheduleFormOf(schedule: Schedule | null, siteToday: string): ScheduleForm {
  const { durationMinutes, ...client } = clientScheduleOf(schedule);
  const stored = schedule?.start_time.slice(0, 10) ?? siteToday;
  const isPastOnce = schedule?.frequency === "ONCE" && stored < siteToday;
  return {
    ...client,
    enabled: schedule?.status !== "INACTIVE",
    durationText: String(durationMinutes),
    date: isPastOnce ? siteToday : stored,
    skipOnRain: schedule?.skip_on_rain ?? false,
    leastDaysText: String(schedule?.least_days ?? LEAST_DAYS_DEFAULT),
    mostDaysText: String(schedule?.most_days ?? MOST_DAYS_DEFAULT),
  };
}

/** A schedule as it is stored; null while the group has none. */
export function storedSchedule(schedule: Schedule | null, siteToday: string): StoredForm<ScheduleForm> {
  return { form: scheduleFormOf(schedule, siteToday), version: schedule?.version ?? 0 };
}

/** The form with a single run at the proposed time. */
export function withProposal(
  stored: StoredForm<ScheduleForm>,
  proposal: { readonly date: string; readonly time: string } | undefined,
): StoredForm<ScheduleForm> {
  if (proposal === undefined) return stored;
  return {
    ...stored,
    form: { ...stored.form, date: proposal.date, startTime: proposal.time, enabled: true, frequency: "ONCE" },
  };
}

export type ScheduleField = Exclude<keyof ScheduleForm, "customDays" | "days">;

const fieldLabel: Record<ScheduleField, string> = {
  enabled: "Enable schedule",
  startTime: "Start time",
  date: "Date",
  durationText: "Duration (minutes)",
  frequency: "Frequency",
  skipOnRain: "Skip on rain",
  leastDaysText: "At least (days)",
  mostDaysText: "At most (days)",
};

const typedFields = ["durationText", "leastDaysText", "mostDaysText"] as const satisfies ScheduleField[];

/** How concurrent edits of a schedule are merged; frequency and date belong together. */
export const scheduleRules: EntityRules<ScheduleForm, ScheduleField> = {
  units: [
    ["enabled"],
    ["startTime"],
    ["frequency", "date"],
    ["durationText"],
    ["skipOnRain"],
    ["leastDaysText", "mostDaysText"],
  ],
  isSame: (one, other, field) => one[field] === other[field],
  labelOf: (field) => fieldLabel[field],
  fieldOf: (name) => ([...typedFields, "startTime", "date"] as const).find((field) => field === name) ?? null,
  textOf: (form, field) => {
    if (field === "frequency") return frequencyWord[form.frequency];
    if (field === "enabled" || field === "skipOnRain") return form[field] ? "On" : "Off";
    return field === "date" && form.date !== "" ? shortDayText(form.date) : form[field];
  },
};

/** The times as they would be sent; null while the day or the time is missing. */
export function formStartTime(form: ScheduleForm, stored: Schedule | null): string | null {
  if (form.date === "" || form.startTime === "") return null;
  // The field has no seconds: an unchanged time keeps its own.
  const storedTime = stored?.start_time.slice(11);
  const isUntouched = storedTime?.slice(0, 5) === form.startTime;
  return startTimeOf(form.date, isUntouched && storedTime !== undefined ? storedTime : form.startTime);
}

/**
 * §7: the body of both calls. Saving with the toggle off sends INACTIVE; without a time then, the stored one or
 * midnight.
 */
export function scheduleBodyOf(
  form: ScheduleForm,
  stored: Schedule | null,
  ids: { siteId: number; groupId: number },
): ScheduleBody {
  const time = stored?.start_time.slice(11) ?? "00:00";
  return {
    site_id: ids.siteId,
    group_id: ids.groupId,
    action: "START",
    start_time: formStartTime(form, stored) ?? startTimeOf(form.date, form.startTime === "" ? time : form.startTime),
    duration_minutes: parseDurationInput(form.durationText),
    frequency: form.frequency,
    status: form.enabled ? "ACTIVE" : "INACTIVE",
    skip_on_rain: form.skipOnRain,
    ...(form.frequency === "WHEN_WORTH_IT" && {
      least_days: daysOf(form.leastDaysText),
      most_days: daysOf(form.mostDaysText),
    }),
  };
}

/** Days as typed; what is no whole number is refused. */
function daysOf(text: string): number {
  return /^\d{1,4}$/.test(text.trim()) ? Number(text) : Number.NaN;
}

/** The problems of §5, and those of the date that the dialog adds. */
type NamedProblem = ScheduleProblem | "missing-date" | "past-date";

const problemText: Record<NamedProblem, { readonly title: string; readonly message: string }> = {
  ...scheduleProblemText,
  "missing-date": { title: "Missing Date", message: "Please set a date for the schedule." },
  "past-date": { title: "Date Is Past", message: "Please choose today or a later day for the schedule." },
};

/** Where each problem is shown. */
const problemField: Record<NamedProblem, ScheduleField> = {
  "invalid-duration": "durationText",
  "missing-start-time": "startTime",
  "missing-date": "date",
  "past-date": "date",
};

export interface FormProblem {
  readonly field: ScheduleField;
  readonly title: string;
  readonly message: string;
}

/** The first problem that prevents sending the form: those of §5, then what the server would refuse. */
export function problemOf(
  form: ScheduleForm,
  timezone: string,
  startTime: string | null,
  now: Date,
): FormProblem | null {
  const problem = validateSchedule({
    enabled: form.enabled,
    startTime: form.startTime,
    durationMinutes: parseDurationInput(form.durationText),
  });
  if (problem !== null) return named(problem);
  if (form.date === "") return named("missing-date");
  const start = startTime === null ? null : effectiveStart({ startTime, frequency: form.frequency }, timezone, now);
  if (start !== null && start.kind !== "start") return named("past-date");
  if (form.frequency !== "WHEN_WORTH_IT") return null;
  const days = runDaysProblem({ least: daysOf(form.leastDaysText), most: daysOf(form.mostDaysText) });
  return days && { field: `${days.of}DaysText`, title: "Invalid Days", message: days.message };
}

function named(problem: NamedProblem): FormProblem {
  return { field: problemField[problem], ...problemText[problem] };
}

import { effectiveStart } from "@suncrew/domain/schedules/next-run.ts";
import {
  parseDurationInput,
  scheduleProblemText,
  validateSchedule,
} from "@suncrew/domain/schedules/schedule-validation.ts";
import type { ScheduleProblem } from "@suncrew/domain/schedules/schedule-validation.ts";
import type { ScheduleField, ScheduleForm } from "./schedule-form.ts";

/** Those of §5, and those of the date that the dialog adds. */
export type FormProblem = ScheduleProblem | "missing-date" | "past-date";

export const problemText: Record<FormProblem, { readonly title: string; readonly message: string }> = {
  ...scheduleProblemText,
  "missing-date": { title: "Missing Date", message: "Please set a date for the schedule." },
  "past-date": { title: "Date Is Past", message: "Please choose today or a later day for the schedule." },
};

/** Where each problem is shown. */
export const problemField: Record<FormProblem, ScheduleField> = {
  "invalid-duration": "durationText",
  "missing-start-time": "startTime",
  "missing-date": "date",
  "past-date": "date",
};

/** The first problem that keeps the form from being sent: those of §5, then a day that the server would refuse. */
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
  if (problem !== null) return problem;
  if (form.date === "") return "missing-date";
  if (startTime === null) return null;
  const start = effectiveStart({ startTime, frequency: form.frequency }, timezone, now);
  return start.kind === "start" ? null : "past-date";
}

import { type RunEndReason, runEndReasonSchema } from "@suncrew/contract/devices/messages.ts";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import { sql } from "kysely";

/** A STOP's number is its time in milliseconds or a little more: only those near the run's end are considered. */
const SEQ_AHEAD_MS = 60_000;

/** Who gave the last STOP or maintenance lock of a row of `runs`; null if nobody did or it is unknown. */
export const stoppedBy = sql<string | null>`case when runs.reason in ('STOP', 'MAINTENANCE') then (
  select c.requested_by from commands c
  where c.robot_id = runs.robot_id and c.site_id = runs.site_id and c.verb in ('STOP', 'MAINTENANCE_ON')
    and c.seq >= floor(extract(epoch from runs.began_at) * 1000)::bigint
    and c.seq <= floor(extract(epoch from runs.ended_at) * 1000)::bigint + ${SEQ_AHEAD_MS}
    and c.issued_at <= runs.ended_at
  order by c.seq desc limit 1) end`;

/** What is stored about the end of a run. */
export interface RecordedEnd {
  readonly outcome: RunOutcome | null;
  /** A code of the device protocol if the run moved; a text if it did not. */
  readonly reason: string | null;
  readonly planned: boolean;
  /** Who gave the last STOP or maintenance lock of the run; null if nobody did or it is unknown. */
  readonly stoppedBy: string | null;
}

const reasonTexts: Record<RunEndReason, (end: RecordedEnd) => string> = {
  STOP: ({ planned, outcome, stoppedBy }) =>
    planned && outcome === "COMPLETED"
      ? "Stopped at its planned end."
      : stoppedBy === null
        ? "Stopped by a command."
        : `Stopped by ${stoppedBy}.`,
  MAX_DURATION: ({ planned }) => (planned ? "Reached its planned end." : "Reached the maximum duration of a run."),
  FINISHED: () => "The robot finished by itself.",
  FAULT: () => "The robot had a fault.",
  BATTERY: () => "The robot's battery was too low.",
  LINK_LOST: () => "The robot lost its connection.",
  MAINTENANCE: ({ stoppedBy }) =>
    stoppedBy === null ? "The robot was put in maintenance." : `The robot was put in maintenance by ${stoppedBy}.`,
};

/** Advice for the person who pressed a button; nobody did for a planned run. */
const ADVICE = /(?:; try again| Please try again\.| Refresh its status, then try again\.)/;

/** The text of why a run ended or never began; null while it is due or in progress. */
export function reasonText(end: RecordedEnd): string | null {
  if (end.outcome === null || end.reason === null) return null;
  const code = runEndReasonSchema.safeParse(end.reason);
  if (code.success) return reasonTexts[code.data](end);
  return end.planned ? withoutAdvice(end.reason) : end.reason;
}

/** A reason without the advice that does not apply to a planned run. */
export function withoutAdvice(reason: string): string {
  return reason.replace(ADVICE, "");
}

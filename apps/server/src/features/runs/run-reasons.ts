import { outcomeText, type OutcomeText } from "@suncrew/domain/texts/outcome-texts.ts";
import { type RunEndReason, runEndReasonSchema } from "@suncrew/contract/devices/messages.ts";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import { sql } from "kysely";

/** A STOP's number is its time in milliseconds or a little more: only those near the run's end are considered. */
const SEQ_AHEAD_MS = 60_000;

/**
 * Who gave the last STOP or maintenance lock of a row of `runs`; null if nobody did or it is unknown. It may have been
 * given before any state showed the robot moving, but after the START. Suncrew's own says why.
 */
export const stoppedBy = sql<string | null>`case when runs.reason in ('STOP', 'MAINTENANCE') then (
  select concat_ws(': ', c.requested_by, c.because) from commands c
  where c.robot_id = runs.robot_id and c.site_id = runs.site_id and c.verb in ('STOP', 'MAINTENANCE_ON')
    and c.seq >= coalesce((select start.seq from commands start where start.id = runs.command_id),
      floor(extract(epoch from runs.began_at) * 1000)::bigint)
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

const endTexts: Record<RunEndReason, (end: RecordedEnd) => OutcomeText> = {
  STOP: ({ planned, outcome, stoppedBy: name }) =>
    planned && outcome === "COMPLETED"
      ? outcomeText("RUN_ENDED_AS_PLANNED", { how: "STOP" })
      : outcomeText("RUN_STOPPED", { name }),
  MAX_DURATION: ({ planned }) =>
    planned ? outcomeText("RUN_ENDED_AS_PLANNED", { how: "MAX_DURATION" }) : outcomeText("RUN_MAX_DURATION", {}),
  FINISHED: () => outcomeText("RUN_FINISHED", {}),
  FAULT: () => outcomeText("RUN_FAULT", {}),
  BATTERY: () => outcomeText("RUN_BATTERY", {}),
  LINK_LOST: () => outcomeText("RUN_LINK_LOST", {}),
  MAINTENANCE: ({ stoppedBy: name }) => outcomeText("RUN_MAINTENANCE", { name }),
};

/** How a run that moved ended; null for one that is due, in progress or never moved. */
export function endText(end: RecordedEnd): OutcomeText | null {
  const code = end.outcome === null ? undefined : runEndReasonSchema.safeParse(end.reason).data;
  return code === undefined ? null : endTexts[code](end);
}

/** The text of why a run ended or never began; null while it is due or in progress. */
export function reasonText(end: RecordedEnd): string | null {
  return end.outcome === null ? null : (endText(end)?.text ?? end.reason);
}

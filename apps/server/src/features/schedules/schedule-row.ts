import type { Schedule } from "@suncrew/contract/schedules/schedules.ts";
import { decidesAt } from "@suncrew/domain/schedules/due-decision.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../../platform/database/tables.ts";

export type ScheduleRow = Selectable<Tables["schedules"]>;

/** When it starts and how often, as the rules of the calendar take it. */
export function timesOf({ start_time: startTime, frequency }: Pick<ScheduleRow, "start_time" | "frequency">) {
  return { startTime, frequency };
}

export type DecisionRow = Pick<
  Selectable<Tables["schedule_decisions"]>,
  "decided_at" | "runs" | "reason" | "reason_code"
>;

/** A decision as calls return it. */
export function decisionOf({ decided_at, runs, reason, reason_code }: DecisionRow) {
  return { decided_at: decided_at.toISOString(), runs, text: reason, code: reason_code };
}

/** A schedule as calls return it, with what was decided of its next run. */
export function scheduleOf(row: ScheduleRow, decision: DecisionRow | null = null): Schedule {
  const isByNeed = row.frequency === "WHEN_WORTH_IT";
  return {
    id: row.id,
    group_id: row.group_id,
    site_id: row.site_id,
    action: "START",
    start_time: row.start_time,
    duration_minutes: row.duration_minutes,
    frequency: row.frequency,
    status: row.status,
    next_run_at: row.next_run_at?.toISOString() ?? null,
    waiting: waitingOf(row),
    skip_on_rain: row.skip_on_rain,
    least_days: row.least_days,
    most_days: row.most_days,
    decides_at: isByNeed && row.next_run_at ? decidesAt(row.next_run_at).toISOString() : null,
    decision: decision && decisionOf(decision),
    version: row.version,
  };
}

/** What the due run waits for; nothing is said about an earlier one. */
function waitingOf(row: ScheduleRow): string | null {
  return row.next_run_at !== null && row.next_run_at.getTime() === row.waiting_due_at?.getTime() ? row.waiting : null;
}

/** What the audit stores of a schedule: the same fields of every one, so that a change of its frequency is no other change. */
export function auditContentOf(row: ScheduleRow): Record<string, unknown> {
  const {
    id: _id,
    version: _version,
    waiting: _waiting,
    decides_at: _decidesAt,
    decision: _decision,
    ...content
  } = scheduleOf(row);
  return content;
}

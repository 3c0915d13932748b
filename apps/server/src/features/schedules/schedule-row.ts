import type { Schedule } from "@suncrew/contract/schedules/schedules.ts";
import type { Selectable } from "kysely";
import type { Tables } from "../../platform/database/tables.ts";

export type ScheduleRow = Selectable<Tables["schedules"]>;

/** When it starts and how often, as the rules of the calendar take it. */
export function timesOf({ start_time: startTime, frequency }: Pick<ScheduleRow, "start_time" | "frequency">) {
  return { startTime, frequency };
}

/** A schedule as calls return it. */
export function scheduleOf(row: ScheduleRow): Schedule {
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
    version: row.version,
  };
}

/** What the due run waits for; nothing is said about an earlier one. */
function waitingOf(row: ScheduleRow): string | null {
  return row.next_run_at !== null && row.next_run_at.getTime() === row.waiting_due_at?.getTime() ? row.waiting : null;
}

/** What the audit stores of a schedule. */
export function auditContentOf(row: ScheduleRow): Record<string, unknown> {
  const { id: _id, version: _version, waiting: _waiting, ...content } = scheduleOf(row);
  return content;
}

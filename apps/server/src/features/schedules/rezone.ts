import { effectiveStart } from "@suncrew/domain/schedules/effective-start.ts";
import type { Tx } from "../../platform/database/database.ts";
import { type AuditActor, recordAudits } from "../audit/public.ts";
import type { LockedSchedule } from "./due-schedules.repository.ts";
import { passOver } from "./pass-over.ts";
import { recorded } from "./schedule-answer.ts";
import {
  changeSchedule,
  lockPlannedOfSite,
  type PlannedSchedule,
  type SchedulePlan,
  showGroupChange,
} from "./schedule-rows.repository.ts";
import { scheduled } from "./scheduler-sentences.ts";
import { holdZone } from "./site-zone.repository.ts";

/**
 * Plans the schedules of a site anew by another time zone, in the transaction that gives the site that zone: they go on
 * meaning the local time. Nothing starts by it: what is due by now and has not begun is skipped, and a ONCE whose day is
 * over by the new clocks is switched off.
 */
export async function rezoneSchedules(
  tx: Tx,
  site: { readonly id: number; readonly timezone: string },
  by: AuditActor,
  now: Date,
): Promise<void> {
  await holdZone(tx, site.id);
  const planned = await lockPlannedOfSite(tx, site.id);
  for (const { row, groupName, timezone } of planned) {
    const { id, site_id: siteId, group_id: groupId, start_time: startTime, frequency, next_run_at: nextRunAt } = row;
    if (nextRunAt === null) continue;
    const { duration_minutes: durationMinutes, skip_on_rain: skipOnRain } = row;
    const kept = { id, siteId, groupId, groupName, timezone, startTime, frequency, durationMinutes, skipOnRain };
    const locked: LockedSchedule = { ...kept, nextRunAt };
    await passOver(tx, locked, scheduled.siteMoved(by.name), now);
    const changed = await changeSchedule(tx, id, planIn(row, nextRunAt, site.timezone, now), now);
    const about = { actor: by, action: "UPDATE_SCHEDULE", entity: "schedule", entityId: id, siteId, at: now };
    const told = { before: recorded(row), after: recorded(changed) };
    const reason = `The time zone of the site is ${site.timezone} now; it was ${timezone}.`;
    await recordAudits(tx, [{ ...about, ...told, outcome: "DONE", reason }]);
  }
  for (const { row } of planned) await showGroupChange(tx, row.group_id);
}

function planIn(row: PlannedSchedule["row"], wasDueAt: Date, timezone: string, now: Date): SchedulePlan {
  const { start_time: startTime, frequency, duration_minutes, skip_on_rain } = row;
  const kept = { frequency, duration_minutes, skip_on_rain, start_time: startTime };
  // Its one time has come: it was passed over.
  if (frequency === "ONCE" && wasDueAt <= now) return { ...kept, status: "COMPLETED", next_run_at: null };
  const start = effectiveStart({ startTime, frequency }, timezone, now);
  if (start.kind !== "start") return { ...kept, status: "INACTIVE", next_run_at: null };
  return { ...kept, start_time: start.startTime, status: "ACTIVE", next_run_at: start.firstRun };
}

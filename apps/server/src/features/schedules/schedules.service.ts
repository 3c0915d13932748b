import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { Schedule, updateSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { effectiveStart } from "@suncrew/domain/schedules/next-run.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type AuditActor, type AuditRecord, recordAudit, recordAudits } from "../audit/public.ts";
import { auditContentOf, scheduleOf, type ScheduleRow } from "./schedule-row.ts";
import { skipDueOccurrences } from "./scheduled-runs.ts";
import { scheduledRunReasons } from "./scheduler-messages.ts";
import { findGroup, requireSchedule, type ScheduledGroup } from "./schedules.queries.ts";
import {
  changeSchedule,
  lockZone,
  insertSchedule,
  lockZoneShared,
  type LockedSchedule,
  lockPlannedOfSite,
  lockSchedule,
  type PlannedSchedule,
  removeSchedule,
  type SchedulePlan,
  touchGroup,
} from "./schedules.repository.ts";

/** What people do with schedules. Each throws 404 out of scope, and 400 or 409 where it must not be. */
export class Schedules {
  readonly #deps: Pick<Dependencies, "db" | "clock">;

  constructor(deps: Pick<Dependencies, "db" | "clock">) {
    this.#deps = deps;
  }

  async create(viewer: Viewer, body: ScheduleBody): Promise<Schedule> {
    return this.#saved((tx) => saveNewSchedule(tx, viewer, body, this.#deps.clock.now()));
  }

  async update(viewer: Viewer, scheduleId: number, body: ScheduleBody): Promise<Schedule> {
    return this.#saved((tx) => saveScheduleChange(tx, viewer, scheduleId, body, this.#deps.clock.now()));
  }

  async remove(viewer: Viewer, scheduleId: number): Promise<void> {
    const { db, clock } = this.#deps;
    await transactionWithRetry(db, (tx) => deleteStoredSchedule(tx, viewer, scheduleId, clock.now()));
  }

  /** A refusal is on record by then, so it is thrown after the commit. */
  async #saved(save: (tx: Tx) => Promise<Saved>): Promise<Schedule> {
    const result = await transactionWithRetry(this.#deps.db, save);
    if (result.kind === "refused") throw result.error;
    return scheduleOf(result.schedule);
  }
}

/** `version` is of an edit alone. */
export type ScheduleBody = BodyOf<typeof updateSchedule>;

/** What saving came to in its transaction; a refusal is on record and is thrown after the commit. */
export type Saved =
  | { readonly kind: "saved"; readonly schedule: ScheduleRow }
  | { readonly kind: "refused"; readonly error: HttpError };

/** Gives a group its schedule. Throws 404 out of scope. */
export async function saveNewSchedule(tx: Tx, viewer: Viewer, body: ScheduleBody, now: Date): Promise<Saved> {
  await lockZoneShared(tx, body.site_id);
  const group = await findGroup(viewer, tx, body);
  const about = { action: "CREATE_SCHEDULE", entityId: null, siteId: group.siteId, after: asked(body) };
  if (group.siteId !== body.site_id) return refuse(tx, viewer, about, wrongSite(), now);
  const plan = planOf(body, group, now);
  if (plan instanceof HttpError) return refuse(tx, viewer, about, plan, now);
  const schedule = await insertSchedule(tx, group, plan, now);
  if (schedule === null) {
    const taken = conflict(`Group "${group.groupName}" has a schedule already. Please edit or delete that one.`);
    return refuse(tx, viewer, about, taken, now);
  }
  return recordSaved(tx, viewer, { action: "CREATE_SCHEDULE", before: null }, schedule, group, now);
}

/**
 * Changes a schedule; its site and group stay what they are. A change never starts a robot: what is due by now and has
 * not begun is skipped. Throws 404 out of scope.
 */
export async function saveScheduleChange(
  tx: Tx,
  viewer: Viewer,
  scheduleId: number,
  body: ScheduleBody,
  now: Date,
): Promise<Saved> {
  await requireSchedule(viewer, tx, scheduleId);
  await lockZoneShared(tx, body.site_id);
  const stored = await lockSchedule(tx, scheduleId);
  // It was deleted while this call waited for the lock.
  if (stored === null) throw notFound("Schedule");
  const group = await findGroup(viewer, tx, body);
  const before = auditContentOf(stored);
  const about = {
    action: "UPDATE_SCHEDULE",
    entityId: scheduleId,
    siteId: stored.site_id,
    before,
    after: { ...before, ...asked(body) },
  };
  if (stored.site_id !== body.site_id) return refuse(tx, viewer, about, wrongSite(), now);
  if (stored.group_id !== body.group_id) {
    return refuse(tx, viewer, about, invalid("group_id", "group_id must be the group of the schedule"), now);
  }
  if (body.version !== undefined && body.version !== stored.version) {
    return refuse(tx, viewer, about, editConflict("schedule"), now);
  }
  const plan = planOf(body, group, now);
  if (plan instanceof HttpError) return refuse(tx, viewer, about, plan, now);
  const words = body.status === "INACTIVE" ? scheduledRunReasons.switchedOff : scheduledRunReasons.edited;
  const due = lockedScheduleOf(stored, group);
  if (due !== null) await skipDueOccurrences(tx, due, words(viewer.name), now);
  const schedule = await changeSchedule(tx, scheduleId, plan, now);
  return recordSaved(tx, viewer, { action: "UPDATE_SCHEDULE", before }, schedule, group, now);
}

/** Deletes a schedule; what runs by it now is still stopped in time. Throws 404 out of scope. */
export async function deleteStoredSchedule(tx: Tx, viewer: Viewer, scheduleId: number, now: Date): Promise<void> {
  await requireSchedule(viewer, tx, scheduleId);
  const stored = await lockSchedule(tx, scheduleId);
  if (stored === null) throw notFound("Schedule");
  await removeSchedule(tx, scheduleId);
  await audit(
    tx,
    viewer,
    {
      action: "DELETE_SCHEDULE",
      entityId: scheduleId,
      siteId: stored.site_id,
      before: auditContentOf(stored),
      outcome: "DONE",
    },
    now,
  );
  await touchGroup(tx, stored.group_id);
}

/** The stored schedule as what serves it knows it; null where it has no next run. */
function lockedScheduleOf(stored: ScheduleRow, { groupName, timezone }: ScheduledGroup): LockedSchedule | null {
  if (stored.next_run_at === null) return null;
  const { id, site_id: siteId, group_id: groupId, start_time: startTime, frequency } = stored;
  const { duration_minutes: durationMinutes, skip_on_rain: skipOnRain, next_run_at: nextRunAt } = stored;
  const group = { siteId, groupId, groupName, timezone };
  return { id, ...group, startTime, frequency, durationMinutes, skipOnRain, nextRunAt };
}

/** Decisions, Time: today's time that is past means the next one; a day before the site's today is wrong for ONCE. */
function planOf(body: ScheduleBody, { timezone }: ScheduledGroup, now: Date): SchedulePlan | HttpError {
  const { start_time: startTime, frequency, duration_minutes, skip_on_rain, status } = body;
  const start = effectiveStart({ startTime, frequency }, timezone, now);
  switch (start.kind) {
    case "before-today":
      return invalid("start_time", "start_time must not be before today at the site");
    case "not-a-time":
      return invalid("start_time", "start_time must be a local time, YYYY-MM-DD HH:MM:SS");
    case "start":
      return {
        frequency,
        duration_minutes,
        skip_on_rain,
        status,
        start_time: start.startTime,
        next_run_at: status === "ACTIVE" ? start.firstRun : null,
      };
  }
}

async function recordSaved(
  tx: Tx,
  viewer: Viewer,
  { action, before }: { readonly action: string; readonly before: Record<string, unknown> | null },
  schedule: ScheduleRow,
  group: ScheduledGroup,
  now: Date,
): Promise<Saved> {
  const { id: entityId, site_id: siteId } = schedule;
  await audit(tx, viewer, { action, entityId, siteId, before, after: auditContentOf(schedule), outcome: "DONE" }, now);
  // The group was deleted while it was given a schedule.
  if (!(await touchGroup(tx, schedule.group_id))) throw notFound("Group");
  return { kind: "saved", schedule };
}

type About = Pick<AuditRecord, "action" | "entityId" | "siteId" | "before" | "after">;

async function refuse(tx: Tx, viewer: Viewer, about: About, error: HttpError, now: Date): Promise<Saved> {
  await audit(tx, viewer, { ...about, outcome: "REFUSED", reason: error.message }, now);
  return { kind: "refused", error };
}

type Audited = About & Pick<AuditRecord, "outcome" | "reason">;

function audit(tx: Tx, { userId, name }: Viewer, record: Audited, now: Date): Promise<void> {
  return recordAudit(tx, { actor: { userId, name }, entity: "schedule", at: now, ...record });
}

function wrongSite(): HttpError {
  return invalid("site_id", "site_id must be the site of the group");
}

function asked({ version: _version, ...content }: ScheduleBody): Record<string, unknown> {
  return content;
}

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
  await lockZone(tx, site.id);
  const planned = await lockPlannedOfSite(tx, site.id);
  for (const { row, groupName, timezone } of planned) {
    const { id, site_id: siteId, group_id: groupId, start_time: startTime, frequency, next_run_at: nextRunAt } = row;
    if (nextRunAt === null) continue;
    const { duration_minutes: durationMinutes, skip_on_rain: skipOnRain } = row;
    const kept = { id, siteId, groupId, groupName, timezone, startTime, frequency, durationMinutes, skipOnRain };
    const locked: LockedSchedule = { ...kept, nextRunAt };
    await skipDueOccurrences(tx, locked, scheduledRunReasons.timezoneChanged(by.name), now);
    const changed = await changeSchedule(tx, id, planInZone(row, nextRunAt, site.timezone, now), now);
    const about = { actor: by, action: "UPDATE_SCHEDULE", entity: "schedule", entityId: id, siteId, at: now };
    const told = { before: auditContentOf(row), after: auditContentOf(changed) };
    const reason = `The time zone of the site is ${site.timezone} now; it was ${timezone}.`;
    await recordAudits(tx, [{ ...about, ...told, outcome: "DONE", reason }]);
  }
  for (const { row } of planned) await touchGroup(tx, row.group_id);
}

function planInZone(row: PlannedSchedule["row"], wasDueAt: Date, timezone: string, now: Date): SchedulePlan {
  const { start_time: startTime, frequency, duration_minutes, skip_on_rain } = row;
  const kept = { frequency, duration_minutes, skip_on_rain, start_time: startTime };
  // Its one time has come: it was passed over.
  if (frequency === "ONCE" && wasDueAt <= now) return { ...kept, status: "COMPLETED", next_run_at: null };
  const start = effectiveStart({ startTime, frequency }, timezone, now);
  if (start.kind !== "start") return { ...kept, status: "INACTIVE", next_run_at: null };
  return { ...kept, start_time: start.startTime, status: "ACTIVE", next_run_at: start.firstRun };
}

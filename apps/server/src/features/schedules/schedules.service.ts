import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { Schedule, updateSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { effectiveStart } from "@suncrew/domain/schedules/next-run.ts";
import type { Tx } from "../../platform/database/database.ts";
import { transactionWithRetry } from "../../platform/database/transactions.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { conflict, editConflict, HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type AuditActor, type AuditRecord, recordAudit } from "../audit/public.ts";
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
  removeSchedule,
  type SchedulePlan,
  touchGroup,
} from "./schedules.repository.ts";

/** Each throws 404 out of scope, and 400 or 409 if the change is refused. */
export class Schedules {
  readonly #deps: Pick<Dependencies, "db" | "clock">;

  constructor(deps: Pick<Dependencies, "db" | "clock">) {
    this.#deps = deps;
  }

  async create(viewer: Viewer, body: ScheduleBody): Promise<Schedule> {
    return this.#save((tx) => saveNewSchedule(tx, viewer, body, this.#deps.clock.now()));
  }

  async update(viewer: Viewer, scheduleId: number, body: ScheduleBody): Promise<Schedule> {
    return this.#save((tx) => saveScheduleChange(tx, viewer, scheduleId, body, this.#deps.clock.now()));
  }

  async remove(viewer: Viewer, scheduleId: number): Promise<void> {
    const { db, clock } = this.#deps;
    await transactionWithRetry(db, (tx) => deleteSchedule(tx, viewer, scheduleId, clock.now()));
  }

  /** A refusal is thrown after the commit, so that its audit row stays. */
  async #save(save: (tx: Tx) => Promise<Saved>): Promise<Schedule> {
    const result = await transactionWithRetry(this.#deps.db, save);
    if (result.kind === "refused") throw result.error;
    return scheduleOf(result.schedule);
  }
}

/** Only an edit has a `version`. */
export type ScheduleBody = BodyOf<typeof updateSchedule>;

/** The outcome of a save in its transaction; a refusal has its audit row and is thrown after the commit. */
export type Saved =
  | { readonly kind: "saved"; readonly schedule: ScheduleRow }
  | { readonly kind: "refused"; readonly error: HttpError };

/** Gives a group its schedule. Throws 404 out of scope. */
export async function saveNewSchedule(tx: Tx, viewer: Viewer, body: ScheduleBody, now: Date): Promise<Saved> {
  await lockZoneShared(tx, body.site_id);
  const group = await findGroup(viewer, tx, body);
  const about = { action: "CREATE_SCHEDULE", entityId: null, siteId: group.siteId, after: contentOf(body) };
  if (group.siteId !== body.site_id) return refuse(tx, viewer, about, wrongSite(), now);
  const plan = planOf(body, group, now);
  if (plan instanceof HttpError) return refuse(tx, viewer, about, plan, now);
  const schedule = await insertSchedule(tx, group, plan, now);
  if (schedule === null) {
    const taken = conflict(
      "SCHEDULE_EXISTS",
      `Group "${group.groupName}" already has a schedule. Please edit or delete it.`,
    );
    return refuse(tx, viewer, about, taken, now);
  }
  return recordSaved(tx, viewer, { action: "CREATE_SCHEDULE", before: null }, schedule, group, now);
}

/**
 * Changes a schedule; its site and group cannot change. A change never starts a robot: what is due by now and has not
 * begun is skipped. Throws 404 out of scope.
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
  // Deleted while this call waited for the lock.
  if (stored === null) throw notFound("Schedule");
  const group = await findGroup(viewer, tx, body);
  const before = auditContentOf(stored);
  const about = {
    action: "UPDATE_SCHEDULE",
    entityId: scheduleId,
    siteId: stored.site_id,
    before,
    after: { ...before, ...contentOf(body) },
  };
  if (stored.site_id !== body.site_id) return refuse(tx, viewer, about, wrongSite(), now);
  if (stored.group_id !== body.group_id) {
    return refuse(
      tx,
      viewer,
      about,
      invalid("group_id", "group_id must be the group of the schedule", "SCHEDULE_GROUP_FIXED"),
      now,
    );
  }
  if (body.version !== undefined && body.version !== stored.version) {
    return refuse(tx, viewer, about, editConflict("schedule"), now);
  }
  const plan = planOf(body, group, now);
  if (plan instanceof HttpError) return refuse(tx, viewer, about, plan, now);
  const reasonOf = body.status === "INACTIVE" ? scheduledRunReasons.switchedOff : scheduledRunReasons.edited;
  const due = lockedScheduleOf(stored, group);
  if (due !== null) await skipDueOccurrences(tx, due, reasonOf(viewer.name), now);
  const schedule = await changeSchedule(tx, scheduleId, plan, now);
  return recordSaved(tx, viewer, { action: "UPDATE_SCHEDULE", before }, schedule, group, now);
}

/** Deletes a schedule; runs in progress are still stopped in time. Throws 404 out of scope. */
export async function deleteSchedule(tx: Tx, viewer: Viewer, scheduleId: number, now: Date): Promise<void> {
  await requireSchedule(viewer, tx, scheduleId);
  const stored = await lockSchedule(tx, scheduleId);
  if (stored === null) throw notFound("Schedule");
  await removeSchedule(tx, scheduleId);
  const about = { action: "DELETE_SCHEDULE", entityId: scheduleId, siteId: stored.site_id } as const;
  await audit(tx, viewer, { ...about, before: auditContentOf(stored), outcome: "DONE" }, now);
  await touchGroup(tx, stored.group_id);
}

/** A locked row in the form that the scheduler uses; null if it has no next run. */
function lockedScheduleOf(
  stored: ScheduleRow,
  { groupName, timezone }: Pick<ScheduledGroup, "groupName" | "timezone">,
): LockedSchedule | null {
  if (stored.next_run_at === null) return null;
  const { id, site_id: siteId, group_id: groupId, start_time: startTime, frequency } = stored;
  const { duration_minutes: durationMinutes, skip_on_rain: skipOnRain, next_run_at: nextRunAt } = stored;
  const group = { siteId, groupId, groupName, timezone };
  return { id, ...group, startTime, frequency, durationMinutes, skipOnRain, nextRunAt };
}

/** Decisions, Time: a time already past today means the next one; a ONCE must not lie before the site's today. */
function planOf(body: ScheduleBody, { timezone }: ScheduledGroup, now: Date): SchedulePlan | HttpError {
  const { start_time: startTime, frequency, duration_minutes, skip_on_rain, status } = body;
  const start = effectiveStart({ startTime, frequency }, timezone, now);
  switch (start.kind) {
    case "before-today":
      return invalid("start_time", "start_time must not be before today at the site", "START_TIME_PAST");
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
  // The group was deleted concurrently.
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
  return invalid("site_id", "site_id must be the site of the group", "SITE_MISMATCH");
}

function contentOf({ version: _version, ...content }: ScheduleBody): Record<string, unknown> {
  return content;
}

/**
 * Replans the schedules of a site for its new time zone, in the transaction that changes the zone: they keep their
 * local time. Nothing starts because of it: what is due by now and has not begun is skipped, and a ONCE whose day is
 * over in the new zone is switched off.
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
    const { id, site_id: siteId } = row;
    const locked = lockedScheduleOf(row, { groupName, timezone });
    if (locked === null) continue;
    await skipDueOccurrences(tx, locked, scheduledRunReasons.timezoneChanged(by.name), now);
    const changed = await changeSchedule(tx, id, planInZone(locked, site.timezone, now), now);
    const about = { action: "UPDATE_SCHEDULE", entity: "schedule", entityId: id, siteId } as const;
    const content = { before: auditContentOf(row), after: auditContentOf(changed) };
    const reason = `The time zone of the site is ${site.timezone} now; it was ${timezone}.`;
    await recordAudit(tx, { actor: by, at: now, ...about, ...content, outcome: "DONE", reason });
  }
  for (const { row } of planned) await touchGroup(tx, row.group_id);
}

function planInZone(schedule: LockedSchedule, timezone: string, now: Date): SchedulePlan {
  const { startTime, frequency, durationMinutes, skipOnRain, nextRunAt } = schedule;
  const plan = { frequency, duration_minutes: durationMinutes, skip_on_rain: skipOnRain, start_time: startTime };
  // Its only run was due and has been skipped.
  if (frequency === "ONCE" && nextRunAt <= now) return { ...plan, status: "COMPLETED", next_run_at: null };
  const start = effectiveStart({ startTime, frequency }, timezone, now);
  if (start.kind !== "start") return { ...plan, status: "INACTIVE", next_run_at: null };
  return { ...plan, start_time: start.startTime, status: "ACTIVE", next_run_at: start.firstRun };
}

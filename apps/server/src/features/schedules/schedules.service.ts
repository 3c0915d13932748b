import type { BodyOf } from "@suncrew/contract/http/route.ts";
import { LEAST_DAYS_DEFAULT, MOST_DAYS_DEFAULT, type updateSchedule } from "@suncrew/contract/schedules/schedules.ts";
import { effectiveStart } from "@suncrew/domain/schedules/next-run.ts";
import { runDaysProblem } from "@suncrew/domain/schedules/schedule-validation.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Executor, Tx } from "../../platform/database/database.ts";
import { conflict, editConflict, type HttpError, invalid, notFound } from "../../platform/http/http-error.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { type AuditActor, auditedChange, type ChangeDetails, recordChange } from "../audit/public.ts";
import { voidDecisions } from "./decisions.repository.ts";
import { auditContentOf, type ScheduleRow, timesOf } from "./schedule-row.ts";
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
  deleteScheduleRow,
  type SchedulePlan,
  touchGroup,
} from "./schedules.repository.ts";

/** Only an edit has a `version`. */
export type ScheduleBody = BodyOf<typeof updateSchedule>;

/** Gives a group its schedule. Throws 404 out of scope, and 400 or 409 if it is refused. */
export async function saveNewSchedule(
  db: Executor,
  viewer: Viewer,
  body: ScheduleBody,
  at: Date,
): Promise<ScheduleRow> {
  const change = { actor: viewer, action: "CREATE_SCHEDULE", entity: "schedule", after: contentOf(body), at };
  return auditedChange(db, change, async (tx, details) => {
    await lockZoneShared(tx, body.site_id);
    const group = await findGroup(viewer, tx, body);
    details.siteId = group.site_id;
    if (group.site_id !== body.site_id) throw wrongSite();
    const schedule = await insertSchedule(tx, group, planOf(body, null, group, at), at);
    if (schedule === null) {
      throw conflict(
        "SCHEDULE_EXISTS",
        `Group "${group.group_name}" already has a schedule. Please edit or delete it.`,
      );
    }
    details.entityId = schedule.id;
    return saved(tx, schedule, details);
  });
}

/**
 * Changes a schedule; its site and group stay what they are. A change never starts a robot: what is due by now and has
 * not begun is skipped. Now is when it is this change's turn: what was served while it waited is not due again. Throws
 * 404 out of scope, and 400 or 409 if it is refused.
 */
export async function saveScheduleChange(
  db: Executor,
  viewer: Viewer,
  scheduleId: number,
  body: ScheduleBody,
  clock: Pick<Clock, "now">,
): Promise<ScheduleRow> {
  const asked = { entity: "schedule", entityId: scheduleId, at: clock.now() };
  const change = { actor: viewer, action: "UPDATE_SCHEDULE", ...asked };
  return auditedChange(db, change, async (tx, details) => {
    await requireSchedule(viewer, tx, scheduleId);
    await lockZoneShared(tx, body.site_id);
    const stored = await lockSchedule(tx, scheduleId);
    // It was deleted while this call waited for the lock.
    if (stored === null) throw notFound("Schedule");
    const at = clock.now();
    const group = await findGroup(viewer, tx, body);
    const before = auditContentOf(stored);
    Object.assign(details, { siteId: stored.site_id, before, after: { ...before, ...contentOf(body) } });
    if (stored.site_id !== body.site_id) throw wrongSite();
    if (stored.group_id !== body.group_id)
      throw invalid("group_id", "group_id must be the group of the schedule", "SCHEDULE_GROUP_FIXED");
    if (body.version !== undefined && body.version !== stored.version) throw editConflict("schedule");
    const plan = planOf(body, stored, group, at);
    const reasonOf = body.status === "INACTIVE" ? scheduledRunReasons.switchedOff : scheduledRunReasons.edited;
    const { group_name, timezone } = group;
    await skipDueOccurrences(tx, { ...stored, group_name, timezone }, reasonOf(viewer.name), at);
    const changed = await changeSchedule(tx, scheduleId, plan, at);
    if (changed.version !== stored.version) await voidDecisions(tx, stored, at);
    return saved(tx, changed, details);
  });
}

async function saved(tx: Tx, schedule: ScheduleRow, details: ChangeDetails): Promise<ScheduleRow> {
  details.after = auditContentOf(schedule);
  // The group was deleted concurrently.
  if (!(await touchGroup(tx, schedule.group_id))) throw notFound("Group");
  return schedule;
}

/** Deletes a schedule; runs in progress are still stopped on time. Throws 404 out of scope. */
export async function removeSchedule(db: Executor, viewer: Viewer, scheduleId: number, at: Date): Promise<void> {
  const change = { actor: viewer, action: "DELETE_SCHEDULE", entity: "schedule", entityId: scheduleId, at };
  await auditedChange(db, change, async (tx, details) => {
    await requireSchedule(viewer, tx, scheduleId);
    const stored = await lockSchedule(tx, scheduleId);
    if (stored === null) throw notFound("Schedule");
    details.siteId = stored.site_id;
    details.before = auditContentOf(stored);
    await deleteScheduleRow(tx, scheduleId);
    await voidDecisions(tx, stored, at);
    await touchGroup(tx, stored.group_id);
  });
}

/** Decisions, Time: a time already past today means the next one; a ONCE must not lie before the site's today. */
function planOf(body: ScheduleBody, stored: ScheduleRow | null, { timezone }: ScheduledGroup, now: Date): SchedulePlan {
  const { frequency, duration_minutes, skip_on_rain, status } = body;
  const days = daysOf(body, stored);
  const start = effectiveStart(timesOf(body), timezone, now);
  switch (start.kind) {
    case "before-today":
      throw invalid("start_time", "start_time must not be before today at the site", "START_TIME_PAST");
    case "not-a-time":
      throw invalid("start_time", "start_time must be a local time, YYYY-MM-DD HH:MM:SS");
    case "start":
      return {
        frequency,
        duration_minutes,
        skip_on_rain,
        status,
        ...days,
        start_time: start.startTime,
        next_run_at: status === "ACTIVE" ? start.firstRun : null,
      };
  }
}

/** Days between runs: what is left out stays; a schedule that never was "when worth it" needs none. */
function daysOf({ frequency, least_days, most_days }: ScheduleBody, stored: ScheduleRow | null) {
  const [least, most] = [least_days ?? stored?.least_days ?? null, most_days ?? stored?.most_days ?? null];
  if (frequency !== "WHEN_WORTH_IT" && (least === null || most === null)) return { least_days: null, most_days: null };
  const days = { least: least ?? LEAST_DAYS_DEFAULT, most: most ?? MOST_DAYS_DEFAULT };
  const problem = runDaysProblem(days);
  if (problem !== null) throw invalid(`${problem.of}_days`, problem.message);
  return { least_days: days.least, most_days: days.most };
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
  for (const schedule of planned) {
    await skipDueOccurrences(tx, schedule, scheduledRunReasons.timezoneChanged(by.name), now);
    const changed = await changeSchedule(tx, schedule.id, planInZone(schedule, site.timezone, now), now);
    await voidDecisions(tx, schedule, now);
    await recordChange(tx, {
      actor: by,
      action: "UPDATE_SCHEDULE",
      entity: "schedule",
      entityId: schedule.id,
      siteId: site.id,
      reason: `The time zone of the site is ${site.timezone} now; it was ${schedule.timezone}.`,
      before: auditContentOf(schedule),
      after: auditContentOf(changed),
      at: now,
    });
  }
  for (const { group_id } of planned) await touchGroup(tx, group_id);
}

function planInZone(schedule: LockedSchedule, timezone: string, now: Date): SchedulePlan {
  const { frequency, duration_minutes, skip_on_rain, start_time, next_run_at, least_days, most_days } = schedule;
  const plan = { frequency, duration_minutes, skip_on_rain, start_time, least_days, most_days };
  // Its only run was due and has been skipped.
  const isOver = frequency === "ONCE" && next_run_at !== null && next_run_at <= now;
  if (isOver) return { ...plan, status: "COMPLETED", next_run_at: null };
  const start = effectiveStart(timesOf(schedule), timezone, now);
  if (start.kind !== "start") return { ...plan, status: "INACTIVE", next_run_at: null };
  return { ...plan, start_time: start.startTime, status: "ACTIVE", next_run_at: start.firstRun };
}

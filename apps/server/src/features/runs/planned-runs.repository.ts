import { type OutcomeCode, type OutcomeText, withoutAdvice } from "@suncrew/domain/texts/outcome-texts.ts";
import { runMissedAlert, runSkippedAlert, type ServerAlertCode } from "@suncrew/domain/alerts/server-alerts.ts";
import { STARTS_LATE_UP_TO_MS } from "@suncrew/domain/schedules/due-decision.ts";
import { type Insertable, type Selectable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { anyUuid, changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import { readRestoredAt } from "../../platform/database/restore-mark.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { clearAlerts, raiseAlerts } from "../alerts/public.ts";

/** The name of schedules in the activity log and in runs. */
export const SCHEDULER = "Scheduler";

/** One robot's run when it falls due: started, or over immediately with its reason. */
export type PlannedRun =
  | { readonly id: string; readonly robotId: number; readonly commandId: string }
  | {
      readonly robotId: number;
      readonly outcome: "SKIPPED" | "MISSED";
      readonly reason: OutcomeText;
      /** True if nobody intended the skip, so that it raises an alert. */
      readonly isAlert?: boolean;
    };

/** What the runs of a group at one due time have in common. */
export interface Occurrence {
  readonly schedule_id: number;
  readonly site_id: number;
  readonly group_id: number;
  readonly group_name: string;
  readonly due_at: Date;
  readonly stop_due_at: Date;
}

/** Those of the robots that have no run of this due time yet. */
export async function robotsWithoutRun(tx: Tx, occurrence: Occurrence, robotIds: readonly number[]): Promise<number[]> {
  const rows = await tx
    .selectFrom("runs")
    .select("robot_id")
    .where("schedule_id", "=", occurrence.schedule_id)
    .where("due_at", "=", occurrence.due_at)
    .execute();
  const recorded = new Set(rows.map((row) => row.robot_id));
  return robotIds.filter((id) => !recorded.has(id));
}

/** Stores runs; one already stored for its due time stays unchanged (guaranteed by the unique index). */
export async function insertPlannedRuns(
  tx: Tx,
  occurrence: Occurrence,
  runs: readonly PlannedRun[],
  now: Date,
): Promise<void> {
  if (runs.length === 0) return;
  const rows = runs.map((run): Insertable<Tables["runs"]> => ({
    ...occurrence,
    id: "id" in run ? run.id : uuidv7(),
    robot_id: run.robotId,
    planned: true,
    started_by: SCHEDULER,
    action_type: "SCHEDULED",
    ...("id" in run
      ? { command_id: run.commandId }
      : { ended_at: now, outcome: run.outcome, ...reasonColumns(withoutAdvice(run.reason)) }),
  }));
  await tx
    .insertInto("runs")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await alertNotStarted(tx, occurrence.site_id, runs, now);
}

/** What went wrong with a run is an alert until the robot's next run is served, whatever the outcome of that. */
async function alertNotStarted(tx: Tx, siteId: number, runs: readonly PlannedRun[], now: Date): Promise<void> {
  const raised = runs.flatMap((run) => {
    if (!("outcome" in run) || (run.outcome === "SKIPPED" && run.isAlert !== true)) return [];
    const alertOf = run.outcome === "MISSED" ? runMissedAlert : runSkippedAlert;
    return [{ robotId: run.robotId, siteId, alert: alertOf(run.reason) }];
  });
  const codes = new Map(raised.map(({ robotId, alert }) => [robotId, alert.code]));
  const robotIds = runs.map(({ robotId }) => robotId);
  for (const [code, of] of Map.groupBy(robotIds, (robotId) => codes.get(robotId))) {
    const over = runAlerts.filter((each) => each !== code);
    await clearAlerts(tx, of, over, now);
  }
  await raiseAlerts(tx, raised, now);
}

const runAlerts: readonly ServerAlertCode[] = ["RUN_MISSED", "RUN_SKIPPED", "RUN_NOT_STARTED", "RUN_CUT_SHORT"];

/** A planned run whose time is up and that has no STOP in progress. */
export interface StopDue {
  readonly id: string;
  readonly robot_id: number;
}

const MAX_RUNS = 1_000;

export async function findStopsDue(db: Executor, now: Date): Promise<StopDue[]> {
  return stopsDue(db, now).select(["runs.id", "runs.robot_id"]).orderBy("runs.stop_due_at").limit(MAX_RUNS).execute();
}

/** Those of the runs that are still to be stopped, under the locks on their robots; one per robot. */
export async function readStopsDue(tx: Tx, runIds: readonly string[], now: Date) {
  return stopsDue(tx, now)
    .select(["runs.id", "runs.robot_id", "runs.began_at", "runs.command_id"])
    .where("runs.id", "=", anyUuid(runIds))
    .orderBy("runs.robot_id")
    .orderBy("runs.began_at", (order) => order.asc().nullsLast())
    .execute();
}

/** A STOP that was confirmed while its run is still open did not end it, so another one is due. */
function stopsDue(db: Executor, now: Date) {
  return db
    .selectFrom("runs")
    .leftJoin("commands as stop", "stop.id", "runs.stop_command_id")
    .where("runs.ended_at", "is", null)
    .where("runs.stop_due_at", "is not", null)
    .where("runs.stop_due_at", "<=", now)
    .where((eb) => eb.or([eb("stop.id", "is", null), eb("stop.settled_at", "is not", null)]));
}

/** Records which STOP ends each run. */
export async function setStopCommands(
  tx: Tx,
  stops: readonly { readonly id: string; readonly commandId: string }[],
): Promise<void> {
  if (stops.length === 0) return;
  await sql`
    update runs r set stop_command_id = s.command_id, change_no = pg_current_xact_id()
    from unnest(${stops.map(({ id }) => id)}::uuid[], ${stops.map(({ commandId }) => commandId)}::uuid[])
      as s (run_id, command_id)
    where r.id = s.run_id
  `.execute(tx);
}

/** A planned run whose START failed although the robot can still clean, in its time; `starts` counts those so far. */
export interface FailedStart extends Pick<Selectable<Tables["runs"]>, "id" | "robot_id" | "site_id"> {
  readonly schedule_id: number;
  readonly due_at: Date;
  readonly stop_due_at: Date;
  readonly starts: number;
}

/** Maximum STARTs per run, so that a robot that always refuses is left alone. */
const MAX_STARTS = 5;
/** No retry later than this after the START is known to have had no effect: by then people may be near the robot. */
const RETRY_WITHIN_MS = 60_000;
/** Why a START was not sent that its server could not hand to the broker. */
const withoutBroker: OutcomeCode = "BROKER_UNREACHABLE";

/**
 * Planned runs that failed in time for another START. Asked first, for it is mostly none, and to find out why they failed
 * takes PostgreSQL 10 ms to plan.
 */
async function readFailedRuns(db: Executor, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom("runs")
    .where("outcome", "=", "FAILED")
    .where("due_at", ">", new Date(now.getTime() - STARTS_LATE_UP_TO_MS))
    .where("due_at", "<=", now)
    .where("stop_due_at", ">", now)
    .where("began_at", "is", null)
    .select("id")
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * A start is retried if the robot is stopped, never moved in this run, can no longer move because of its earlier
 * START, and has been left alone by people since, while the run may still begin late. That the START had no effect has
 * been known for a minute at most, from one of these:
 * - it was never claimed by a server, so it was never sent (protocol rule 5); if that was because its server had just
 *   lost the broker, no matter how long ago: the run waits for the broker and its robot like all others (decision 45);
 * - the robot refused it as too old, or one of its states proved that it never accepted it and never will;
 * - it may have been sent, the robot never acknowledged it, and in the same session it confirmed the STOP that followed
 *   (rule 6): so it is stopped, and the higher number of that STOP fences the old START.
 * There is no retry after any later command, such as a person's Stop, a Start or a maintenance lock, nor after the
 * schedule or group was deleted, switched off or changed. Given a run, under the lock on its robot, only that one.
 */
export async function readFailedStarts(db: Executor, now: Date, runId: string | null = null): Promise<FailedStart[]> {
  const runIds = runId === null ? await readFailedRuns(db, now) : [runId];
  if (runIds.length === 0) return [];
  // Nor of a run that was due before the database was restored from a backup (decision 60).
  const restoredAt = (await readRestoredAt(db))?.getTime() ?? Number.NEGATIVE_INFINITY;
  const dueAfter = new Date(Math.max(restoredAt, now.getTime() - STARTS_LATE_UP_TO_MS));
  const failedAfter = new Date(now.getTime() - RETRY_WITHIN_MS);
  const { rows } = await sql<FailedStart>`
    select r.id, r.robot_id, r.site_id, r.schedule_id, r.due_at, r.stop_due_at, tried.starts
    from runs r
    join commands start on start.id = r.command_id
    join robot_state s on s.robot_id = r.robot_id and s.online and s.motion = 'STOPPED'
    join schedules plan on plan.id = r.schedule_id and plan.status <> 'INACTIVE' and plan.updated_at <= r.due_at
    join robot_groups g on g.id = r.group_id and g.deleted_at is null and g.updated_at <= r.due_at
    join robot_group_members m on m.robot_id = r.robot_id and m.group_id = r.group_id
    cross join lateral (
      select count(*) as starts from commands c
      where c.robot_id = r.robot_id and c.verb = 'START' and c.action_type = 'SCHEDULED' and c.seq <= start.seq
        and c.seq >= floor(extract(epoch from r.due_at) * 1000)::bigint
    ) tried
    where r.outcome = 'FAILED' and r.began_at is null and r.planned and not r.sample
      and r.due_at > ${dueAfter} and r.due_at <= ${now} and r.stop_due_at > ${now}
      and r.id = ${anyUuid(runIds)}
      and tried.starts < ${MAX_STARTS}
      and (
        (start.outcome = 'NEVER_SENT' and start.claimed_by is null
          and (start.settled_at > ${failedAfter} or r.reason_code = ${withoutBroker}))
        or (start.outcome = 'REJECTED' and start.ack_code in ('OLD_SESSION', 'EXPIRED')
          and start.settled_at > ${failedAfter})
        or (start.outcome = 'UNCONFIRMED' and start.settled_at >= start.settle_by
          and (start.ack is null or start.ack = 'REJECTED')
          and (start.not_taken_at > ${failedAfter}
            or (start.ack is null and s.session = start.session and start.settle_by > ${failedAfter}
              and exists (select from commands f where f.follows_id = start.id and f.outcome = 'CONFIRMED'))))
      )
      and not exists (
        select from commands later where later.robot_id = r.robot_id and later.seq > start.seq
          and later.verb <> 'SET' and later.follows_id is distinct from start.id
      )
    order by r.due_at
    limit 500
  `.execute(db);
  return rows;
}

/**
 * Reopens a failed run for another START, under that START's run id, so that what the robot may still report about the old
 * one is not attributed to the new.
 */
export async function reopenForRetry(
  tx: Tx,
  runId: string,
  start: { readonly id: string; readonly commandId: string },
): Promise<void> {
  await tx
    .updateTable("runs")
    .set({
      id: start.id,
      command_id: start.commandId,
      stop_command_id: null,
      ended_at: null,
      outcome: null,
      reason: null,
      change_no: changedNow,
    })
    .where("id", "=", runId)
    .execute();
}

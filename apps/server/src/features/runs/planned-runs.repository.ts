import { runMissedAlert, runNotStartedAlert, type ServerAlertCode } from "@suncrew/domain/alerts/server-alerts.ts";
import { type Insertable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Db, Tx } from "../../platform/database/database.ts";
import type { RunsTable } from "../../platform/database/schema.ts";
import { clearAlerts, raiseAlerts } from "../alerts/public.ts";
import { withoutAdvice } from "./run-reasons.ts";

/** As activity log and runs name who starts and stops by schedule. */
export const SCHEDULER = "Scheduler";

/** One robot's run as it falls due: under way by its START, or over at once with its reason. */
export type PlannedRun =
  | { readonly id: string; readonly robotId: number; readonly commandId: string }
  | {
      readonly robotId: number;
      readonly outcome: "SKIPPED" | "MISSED";
      readonly reason: string;
      /** Nobody wanted it to be skipped: an alert tells of it. */
      readonly isAlert?: boolean;
    };

/** What the runs of a group at one due time have in common. */
export interface Occurrence {
  readonly scheduleId: number;
  readonly siteId: number;
  readonly groupId: number;
  readonly groupName: string;
  readonly dueAt: Date;
  readonly stopDueAt: Date;
}

/** Those of the robots that have no run of this due time yet. */
export async function withoutRun(tx: Tx, occurrence: Occurrence, robotIds: readonly number[]): Promise<number[]> {
  const rows = await tx
    .selectFrom("runs")
    .select("robot_id")
    .where("schedule_id", "=", occurrence.scheduleId)
    .where("due_at", "=", occurrence.dueAt)
    .execute();
  const recorded = new Set(rows.map((row) => row.robot_id));
  return robotIds.filter((id) => !recorded.has(id));
}

/** Puts runs on record; one that is there already for its due time stays as it is (the index is the fence). */
export async function insertPlannedRuns(
  tx: Tx,
  occurrence: Occurrence,
  runs: readonly PlannedRun[],
  now: Date,
): Promise<void> {
  if (runs.length === 0) return;
  const { scheduleId, siteId, groupId, groupName, dueAt, stopDueAt } = occurrence;
  const rows = runs.map((run): Insertable<RunsTable> => ({
    id: "id" in run ? run.id : uuidv7(),
    robot_id: run.robotId,
    site_id: siteId,
    planned: true,
    started_by: SCHEDULER,
    action_type: "SCHEDULED",
    schedule_id: scheduleId,
    group_id: groupId,
    group_name: groupName,
    due_at: dueAt,
    stop_due_at: stopDueAt,
    ...("id" in run ? { command_id: run.commandId } : { ended_at: now, outcome: run.outcome, reason: run.reason }),
  }));
  await tx
    .insertInto("runs")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await alertNotStarted(tx, siteId, runs, now);
}

type Told = Extract<ServerAlertCode, "RUN_MISSED" | "RUN_NOT_STARTED">;

/** What did not come about is an alert until the next run of the robot is served, whatever becomes of that. */
async function alertNotStarted(tx: Tx, siteId: number, runs: readonly PlannedRun[], now: Date): Promise<void> {
  const told = Map.groupBy(runs, (run): Told | null => {
    if (!("outcome" in run)) return null;
    if (run.outcome === "MISSED") return "RUN_MISSED";
    return run.isAlert === true ? "RUN_NOT_STARTED" : null;
  });
  for (const [code, alertOf] of [
    ["RUN_MISSED", runMissedAlert],
    ["RUN_NOT_STARTED", runNotStartedAlert],
  ] as const) {
    const robots = new Set(told.get(code)?.map(({ robotId }) => robotId));
    const others = runs.flatMap(({ robotId }) => (robots.has(robotId) ? [] : [robotId]));
    await clearAlerts(tx, others, [code], now);
    const raised = (told.get(code) ?? []).flatMap((run) => {
      return "reason" in run ? [{ robotId: run.robotId, siteId, alert: alertOf(withoutAdvice(run.reason)) }] : [];
    });
    await raiseAlerts(tx, raised, now);
  }
}

/** A planned run whose time is up and that no STOP is on its way for. */
export interface StopDue {
  readonly id: string;
  readonly robot_id: number;
}

const MAX_RUNS = 1_000;

export async function findStopsDue(db: Db, now: Date): Promise<StopDue[]> {
  return stopsDue(db, now).select(["runs.id", "runs.robot_id"]).orderBy("runs.stop_due_at").limit(MAX_RUNS).execute();
}

/** Those of the runs that are still to be stopped, under the locks on their robots; one for each robot. */
export async function readStopsDue(tx: Tx, runIds: readonly string[], now: Date) {
  return stopsDue(tx, now)
    .select(["runs.id", "runs.robot_id", "runs.began_at", "runs.command_id"])
    .where("runs.id", "=", sql<string>`any(${[...runIds]}::uuid[])`)
    .orderBy("runs.robot_id")
    .orderBy("runs.began_at", (order) => order.asc().nullsLast())
    .execute();
}

/** A STOP that was confirmed while its run is still open did not end it: another one is due. */
function stopsDue(db: Db | Tx, now: Date) {
  return db
    .selectFrom("runs")
    .leftJoin("commands as stop", "stop.id", "runs.stop_command_id")
    .where("runs.ended_at", "is", null)
    .where("runs.stop_due_at", "is not", null)
    .where("runs.stop_due_at", "<=", now)
    .where((eb) => eb.or([eb("stop.id", "is", null), eb("stop.settled_at", "is not", null)]));
}

/** Notes which STOP ends each run. */
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

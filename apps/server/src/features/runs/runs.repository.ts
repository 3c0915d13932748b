import type { RunEndReason } from "@suncrew/contract/devices/messages.ts";
import type { RunOutcome } from "@suncrew/contract/robots/run-outcome.ts";
import { runNotStartedAlert } from "@suncrew/domain/alerts/server-alerts.ts";
import { type RobotBudget, unlimited } from "@suncrew/domain/devices/robot-budget.ts";
import { PLANNED_END_TOLERANCE_MS, runOutcomeOf } from "@suncrew/domain/runs/run-outcome.ts";
import { type OutcomeText, withoutAdvice } from "@suncrew/domain/texts/outcome-texts.ts";
import { type Selectable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { anyInt, anyUuid, changedNow, type Executor, type Tx } from "../../platform/database/database.ts";
import { reasonColumns } from "../../platform/database/reason-columns.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { clearAlerts, raiseAlerts } from "../alerts/public.ts";
import { alertCutShort, logRunEnds } from "./run-ends.repository.ts";

const openRunColumns = [
  "id",
  "robot_id",
  "site_id",
  "command_id",
  "planned",
  "action_type",
  "began_at",
  "planned_end_at",
  "stop_due_at",
  "outcome",
] as const;
const returnedColumns = sql.join(openRunColumns.map((column) => sql.ref(`runs.${column}`)));

export type OpenRun = Pick<Selectable<Tables["runs"]>, (typeof openRunColumns)[number]>;

export interface RunBeginning {
  readonly robotId: number;
  readonly siteId: number;
  /** The run id that the robot reports; null if it reports none. */
  readonly runId: string | null;
  readonly at: Date;
  readonly battery: number;
}

/** The runs in which these robots are moving, by robot. */
export async function openRunsOf(tx: Tx, robotIds: readonly number[]): Promise<Map<number, OpenRun>> {
  const rows = await tx
    .selectFrom("runs")
    .where("ended_at", "is", null)
    .where("began_at", "is not", null)
    .where("robot_id", "=", anyInt(robotIds))
    .select(openRunColumns)
    .execute();
  return new Map(rows.map((row) => [row.robot_id, row]));
}

/** Those of the robots that were cleaning at that moment and have stopped since. */
export async function findStoppedSince(tx: Tx, robotIds: readonly number[], since: Date): Promise<Set<number>> {
  if (robotIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom("runs")
    .where("robot_id", "=", anyInt(robotIds))
    .where("began_at", "<=", since)
    .where("ended_at", ">=", since)
    .select("robot_id")
    .execute();
  return new Set(rows.map((row) => row.robot_id));
}

export interface RunEnd {
  readonly at: Date;
  readonly battery: number;
  readonly reason: RunEndReason;
}

/**
 * Opens runs for motions, at most one per robot, whether they follow a START or were started at the robot. A run that
 * the robot itself reported as ended is left out, so that a late message does not reopen it; so is one without a START
 * that exceeds the robot's budget.
 */
export async function beginRuns(
  tx: Tx,
  beginnings: readonly RunBeginning[],
  budget: RobotBudget = unlimited,
): Promise<OpenRun[]> {
  const known = await runsById(tx, runIdsOf(beginnings));
  const planned: RunBeginning[] = [];
  const again: RunBeginning[] = [];
  const others: RunBeginning[] = [];
  for (const beginning of beginnings) {
    const run = beginning.runId === null ? undefined : known.get(beginning.runId);
    if (run?.robot_id !== beginning.robotId) others.push(beginning);
    else (run.began_at === null ? planned : again).push(beginning);
  }
  const begun = await beginPlanned(tx, planned);
  const reopened = await reopen(tx, again);
  const starts = await startsOfRuns(tx, others);
  const unseen = others.filter(({ robotId }) => {
    if (starts.has(robotId)) return true;
    if (!budget.has(robotId, "runs")) return false;
    budget.take(robotId, "runs");
    return true;
  });
  const inserted = unseen.map((beginning) => ({ beginning, end: null }));
  return [...begun, ...reopened, ...(await insertRuns(tx, inserted, starts, new Set(known.keys())))];
}

/** The robots, with at most one run each, for which neither the run nor its START is stored. */
export async function robotsWithUnknownRuns(
  tx: Tx,
  named: readonly { readonly robotId: number; readonly runId: string }[],
): Promise<Set<number>> {
  if (named.length === 0) return new Set();
  const known = await runsById(tx, runIdsOf(named));
  const started = await startsOfRuns(tx, named);
  const unknown = named.filter(({ robotId, runId }) => known.get(runId)?.robot_id !== robotId && !started.has(robotId));
  return new Set(unknown.map(({ robotId }) => robotId));
}

function runIdsOf(named: readonly { readonly runId: string | null }[]): string[] {
  return named.flatMap(({ runId }) => runId ?? []);
}

/** A motion to store, already over if `end` is given. */
export interface NewRun {
  readonly beginning: RunBeginning;
  readonly end: RunEnd | null;
}

/**
 * Stores runs, at most one per robot, with the STARTs that began them. A run whose id another robot's run has already
 * gets another id: `taken` are those of stored runs.
 */
export async function insertRuns(
  tx: Tx,
  runs: readonly NewRun[],
  starts: Awaited<ReturnType<typeof startsOfRuns>>,
  taken: Set<string> = new Set(),
): Promise<OpenRun[]> {
  if (runs.length === 0) return [];
  const beginnings = runs.map(({ beginning }) => beginning);
  const ofGroups = beginnings.filter(({ robotId }) => starts.get(robotId)?.action_type === "GROUP");
  const groupRobots = ofGroups.map(({ robotId }) => robotId);
  const groups = await groupsOf(tx, groupRobots);
  const rows = runs.map(({ beginning: { robotId, siteId, runId, at, battery }, end }) => {
    const start = starts.get(robotId);
    // A planned run has had its row since it was due; this one was started by hand, is unknown, or has been retried.
    const ended = { planned: start?.action_type === "SCHEDULED", plannedEndReached: false };
    const movedMs = end === null ? 0 : end.at.getTime() - at.getTime();
    const id = runId === null || taken.has(runId) ? uuidv7() : runId;
    taken.add(id);
    return {
      id,
      robot_id: robotId,
      // A run reported late keeps the site and names of its START: its robot may have moved since.
      site_id: start?.site_id ?? siteId,
      serial_number: start?.serial_number,
      robot_name: start?.robot_name,
      command_id: start?.id ?? null,
      planned: false,
      action_type: start?.action_type ?? "SYSTEM",
      started_by_user_id: start?.user_id ?? null,
      started_by: start?.requested_by ?? "Robot",
      ...(start?.action_type === "GROUP" && start.site_id === siteId && groups.get(robotId)),
      began_at: at,
      battery_began: battery,
      planned_end_at: start?.max_duration_s ? new Date(at.getTime() + start.max_duration_s * 1_000) : null,
      ...(end && {
        ended_at: end.at < at ? at : end.at,
        battery_ended: end.battery,
        reason: end.reason,
        outcome: runOutcomeOf({ ...ended, movedMs }, end.reason),
      }),
    };
  });
  const { rows: inserted } = await sql<OpenRun>`
    insert into runs (id, robot_id, site_id, serial_number, robot_name, command_id, planned, action_type,
      started_by_user_id, started_by, group_id, group_name, began_at, battery_began, planned_end_at, ended_at,
      battery_ended, reason, outcome)
    select n.id, n.robot_id, n.site_id, n.serial_number, n.robot_name, n.command_id, n.planned, n.action_type,
      n.started_by_user_id, n.started_by, n.group_id, n.group_name, n.began_at, n.battery_began, n.planned_end_at,
      n.ended_at, n.battery_ended, n.reason, n.outcome
    from json_populate_recordset(null::runs, ${JSON.stringify(rows)}::json) n
    returning ${returnedColumns}`.execute(tx);
  const endedIds = rows.flatMap((row) => ("ended_at" in row ? [row.id] : []));
  await logRunEnds(tx, endedIds);
  return inserted;
}

/** Marks planned runs as begun, including those that had failed because their start was not confirmed in time. */
async function beginPlanned(tx: Tx, planned: readonly RunBeginning[]): Promise<OpenRun[]> {
  if (planned.length === 0) return [];
  const rows = planned.map(({ runId, at, battery }) => ({ id: runId, began_at: at, battery_began: battery }));
  const { rows: began } = await sql<OpenRun>`
    update runs set began_at = n.began_at, battery_began = n.battery_began, planned_end_at = runs.stop_due_at,
      ended_at = null, outcome = null, reason = null, change_no = ${changedNow}
    from json_populate_recordset(null::runs, ${JSON.stringify(rows)}::json) n
    where runs.id = n.id
    returning ${returnedColumns}`.execute(tx);
  const robotIds = began.map(({ robot_id }) => robot_id);
  await clearAlerts(tx, robotIds, ["RUN_NOT_STARTED"], latest(planned));
  return began;
}

/**
 * Closes planned runs that never moved, each with an alert: their starts failed. Changes nothing once one has begun or
 * ended.
 */
export async function failPlannedRuns(
  tx: Tx,
  failed: readonly { readonly runId: string; readonly reason: OutcomeText }[],
  at: Date,
): Promise<void> {
  if (failed.length === 0) return;
  const reasons = new Map(failed.map(({ runId, reason }) => [runId, withoutAdvice(reason)]));
  const ends = [...reasons].map(([id, reason]) => ({ id, ...reasonColumns(reason) }));
  const { rows } = await sql<{ id: string; robot_id: number; site_id: number }>`
    update runs r set ended_at = ${at}, outcome = 'FAILED', reason = f.reason, reason_code = f.reason_code,
      reason_params = f.reason_params, change_no = ${changedNow}
    from json_to_recordset(${JSON.stringify(ends)}::json) f (id uuid, reason text, reason_code text, reason_params jsonb)
    where r.id = f.id and r.planned and r.began_at is null and r.ended_at is null
    returning r.id, r.robot_id, r.site_id
  `.execute(tx);
  const alerts = rows.flatMap(({ id, robot_id: robotId, site_id: siteId }) => {
    const reason = reasons.get(id);
    return reason === undefined ? [] : [{ robotId, siteId, alert: runNotStartedAlert(reason) }];
  });
  await raiseAlerts(tx, [...new Map(alerts.map((each) => [each.robotId, each])).values()], at);
}

/** A person's START of a group that a robot did not follow. */
export interface NotStarted {
  readonly robot: { readonly id: number; readonly site_id: number };
  readonly by: { readonly user_id: number | null; readonly requested_by: string };
  /** The START, if it was sent. */
  readonly start?: { readonly id: string; readonly run_id: string | null };
  readonly outcome: "SKIPPED" | "FAILED";
  readonly reason: OutcomeText;
  readonly at: Date;
}

/** Records, with the runs of the others, that robots of a group were to be started by hand and were not. */
export async function insertNotStarted(tx: Executor, all: readonly NotStarted[]): Promise<void> {
  if (all.length === 0) return;
  const robotIds = all.map(({ robot }) => robot.id);
  const groups = await groupsOf(tx, robotIds);
  const rows = all.map(({ robot, by, start, outcome, reason, at }) => ({
    id: start?.run_id ?? uuidv7(),
    command_id: start?.id ?? null,
    robot_id: robot.id,
    site_id: robot.site_id,
    planned: false,
    action_type: "GROUP" as const,
    started_by_user_id: by.user_id,
    started_by: by.requested_by,
    ...groups.get(robot.id),
    ended_at: at,
    outcome,
    ...reasonColumns(reason),
  }));
  await tx
    .insertInto("runs")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The robots' current groups, as a run stores them, by robot. */
async function groupsOf(tx: Executor, robotIds: readonly number[]) {
  if (robotIds.length === 0) return new Map<number, never>();
  const rows = await tx
    .selectFrom("robot_group_members as m")
    .innerJoin("robot_groups as g", "g.id", "m.group_id")
    .select(["m.robot_id", "g.id as group_id", "g.group_name"])
    .where("m.robot_id", "=", anyInt(robotIds))
    .execute();
  return new Map(rows.map(({ robot_id, ...group }) => [robot_id, group]));
}

/** The reported beginning of a planned run that no state showed moving. */
export type ReportedBeginning = Pick<RunBeginning, "at" | "battery">;

export interface EndedRun {
  readonly run: Omit<OpenRun, "command_id" | "planned_end_at">;
  readonly end: RunEnd;
  /** For a planned run that no state showed moving. */
  readonly began?: ReportedBeginning;
}

/** Closes runs; one that would end before it began because of a wrong clock gets no duration. */
export async function endRuns(tx: Tx, ended: readonly EndedRun[]): Promise<void> {
  if (ended.length === 0) return;
  const rows = ended.map(({ run, end, began }) => {
    const plannedEndReached =
      run.stop_due_at !== null && end.at.getTime() >= run.stop_due_at.getTime() - PLANNED_END_TOLERANCE_MS;
    const movedMs = end.at.getTime() - (began?.at ?? run.began_at ?? end.at).getTime();
    return {
      id: run.id,
      began_at: began?.at ?? null,
      battery_began: began?.battery ?? null,
      ended_at: end.at,
      battery_ended: end.battery,
      reason: end.reason,
      outcome: runOutcomeOf({ planned: run.action_type === "SCHEDULED", plannedEndReached, movedMs }, end.reason),
    };
  });
  await sql`
    update runs set began_at = coalesce(n.began_at, runs.began_at),
      battery_began = case when n.began_at is null then runs.battery_began else n.battery_began end,
      planned_end_at = case when n.began_at is null then runs.planned_end_at else runs.stop_due_at end,
      ended_at = greatest(coalesce(n.began_at, runs.began_at), n.ended_at), battery_ended = n.battery_ended,
      reason = n.reason, outcome = n.outcome, change_no = ${changedNow}
    from json_populate_recordset(null::runs, ${JSON.stringify(rows)}::json) n
    where runs.id = n.id`.execute(tx);
  const runIds = ended.map(({ run }) => run.id);
  await logRunEnds(tx, runIds);
  await alertEnds(tx, ended, new Map(rows.map(({ id, outcome }) => [id, outcome])));
}

/** A planned run that was cut short is an alert, unless the robot's own report says that it was not. */
async function alertEnds(tx: Tx, ended: readonly EndedRun[], outcomes: ReadonlyMap<string, RunOutcome>): Promise<void> {
  const changed = ended.filter(({ run }) => run.planned && outcomes.get(run.id) !== run.outcome);
  const last = latest(ended.map(({ end }) => end));
  const corrected = changed.filter(({ run }) => run.outcome === "CUT_SHORT");
  await clearAlerts(
    tx,
    corrected.map(({ run }) => run.robot_id),
    ["RUN_CUT_SHORT"],
    last,
  );
  const cutShort = changed.filter(({ run }) => outcomes.get(run.id) === "CUT_SHORT");
  await alertCutShort(
    tx,
    cutShort.map(({ run, end: { reason } }) => ({ ...run, reason })),
    last,
  );
}

function latest(of: readonly { readonly at: Date }[]): Date {
  return of.reduce((last, { at }) => (at > last ? at : last), new Date(0));
}

/** Stored runs, open or not, by id. */
export async function runsById(tx: Tx, runIds: readonly string[]) {
  if (runIds.length === 0) return new Map<string, never>();
  const rows = await tx
    .selectFrom("runs")
    .where("id", "=", anyUuid(runIds))
    .select([...openRunColumns, "ended_at"])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Undoes ends that were only inferred; the robots are still moving in these runs. */
async function reopen(tx: Tx, again: readonly RunBeginning[]): Promise<OpenRun[]> {
  if (again.length === 0) return [];
  const { rows } = await sql<OpenRun>`
    update runs set ended_at = null, battery_ended = null, outcome = null, reason = null, change_no = ${changedNow}
    where id = ${anyUuid(runIdsOf(again))} and not exists (
      select from robot_events e
      where e.robot_id = runs.robot_id and e.kind = 'RUN_ENDED' and e.body ->> 'runId' = runs.id::text)
    returning ${returnedColumns}`.execute(tx);
  const goingOn = rows.flatMap(({ planned, robot_id }) => (planned ? [robot_id] : []));
  await clearAlerts(tx, goingOn, ["RUN_CUT_SHORT"], latest(again));
  return rows;
}

/** The STARTs whose run ids robots report with their motions, by robot. */
export async function startsOfRuns(tx: Tx, beginnings: readonly Pick<RunBeginning, "robotId" | "runId">[]) {
  const named = beginnings.filter(({ runId }) => runId !== null);
  if (named.length === 0) return new Map<number, never>();
  const rows = await tx
    .selectFrom("commands")
    .innerJoin(
      sql<{ robot: number; run: string }>`unnest(${named.map(({ robotId }) => robotId)}::int[],
        ${named.map(({ runId }) => runId)}::uuid[])`.as<"n">(sql`n (robot, run)`),
      (join) => join.onRef("n.robot", "=", "robot_id").onRef("n.run", "=", "run_id"),
    )
    .where("verb", "=", "START")
    .select(["id", "robot_id", "user_id", "requested_by", "action_type", "max_duration_s", "site_id"])
    .select(["serial_number", "robot_name"])
    .execute();
  return new Map(rows.map((row) => [row.robot_id, row]));
}

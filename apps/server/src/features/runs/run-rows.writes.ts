import { sql } from "kysely";
import type { RunEndReason } from "@suncrew/contract/devices/messages.ts";
import { PLANNED_END_TOLERANCE_MS, runOutcomeOf } from "@suncrew/domain/runs/run-outcome.ts";
import { v7 as uuidv7 } from "uuid";
import { changedNow, type Tx } from "../../platform/database/database.ts";
import type { ActionTypeColumn } from "../../platform/database/schema.ts";

export interface OpenRun {
  readonly id: string;
  readonly robot_id: number;
  readonly command_id: string | null;
  readonly planned: boolean;
  readonly action_type: ActionTypeColumn;
  /** Null for a planned run that has not begun to move. */
  readonly began_at: Date | null;
  readonly planned_end_at: Date | null;
  /** When the server stops a planned run. */
  readonly stop_due_at: Date | null;
}

const openRunColumns = [
  "id",
  "robot_id",
  "command_id",
  "planned",
  "action_type",
  "began_at",
  "planned_end_at",
  "stop_due_at",
] as const satisfies readonly (keyof OpenRun)[];

export interface RunBeginning {
  readonly robotId: number;
  readonly siteId: number;
  /** As the robot names it; null where it has no name for it. */
  readonly runId: string | null;
  readonly at: Date;
  readonly battery: number;
}

/** The runs in which these robots move, by robot. */
export async function openRunsOf(tx: Tx, robotIds: readonly number[]): Promise<Map<number, OpenRun>> {
  const rows = await tx
    .selectFrom("runs")
    .where("ended_at", "is", null)
    .where("began_at", "is not", null)
    .where("robot_id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .select(openRunColumns)
    .execute();
  return new Map(rows.map((row) => [row.robot_id, row]));
}

export interface RunEnd {
  readonly at: Date;
  readonly battery: number;
  readonly reason: RunEndReason;
}

/**
 * Opens the run of a motion: that of a START, or one started at the robot itself. Null where the run ended already
 * by the robot's own word, so that a late message does not open it again.
 */
export async function beginRun(tx: Tx, beginning: RunBeginning): Promise<OpenRun | null> {
  const known = beginning.runId === null ? undefined : await runById(tx, beginning.runId);
  if (known?.robot_id === beginning.robotId) {
    return known.began_at === null ? beginPlanned(tx, known.id, beginning) : reopen(tx, known.id);
  }
  return insertRun(tx, beginning, null);
}

/** Puts a run on record, over already where `end` is given. Its name must not be taken by this robot. */
export async function insertRun(tx: Tx, beginning: RunBeginning, end: RunEnd | null): Promise<OpenRun> {
  const { robotId, siteId, runId, at, battery } = beginning;
  const start = runId === null ? undefined : await startOfRun(tx, robotId, runId);
  const nameTaken = runId !== null && (await runById(tx, runId)) !== undefined;
  // A planned run has its row since it was due; this one was started by hand, is not known, or was started anew since.
  const ended = { planned: start?.action_type === "SCHEDULED", plannedEndReached: false };
  return tx
    .insertInto("runs")
    .values({
      id: runId === null || nameTaken ? uuidv7() : runId,
      robot_id: robotId,
      ...placeOf(start, siteId),
      command_id: start?.id ?? null,
      planned: false,
      action_type: start?.action_type ?? "SYSTEM",
      started_by_user_id: start?.user_id ?? null,
      started_by: start?.requested_by ?? "Robot",
      ...(start?.action_type === "GROUP" && start.site_id === siteId && (await groupOf(tx, robotId))),
      began_at: at,
      battery_began: battery,
      planned_end_at: start?.max_duration_s ? new Date(at.getTime() + start.max_duration_s * 1_000) : null,
      ...(end && {
        ended_at: end.at < at ? at : end.at,
        battery_ended: end.battery,
        reason: end.reason,
        outcome: runOutcomeOf(ended, end.reason),
      }),
    })
    .returning(openRunColumns)
    .executeTakeFirstOrThrow();
}

/** A planned run begins to move, also one that was given up because its start was not confirmed in time. */
async function beginPlanned(tx: Tx, runId: string, { at, battery }: RunBeginning): Promise<OpenRun> {
  return tx
    .updateTable("runs")
    .set((eb) => ({
      began_at: at,
      battery_began: battery,
      planned_end_at: eb.ref("stop_due_at"),
      ended_at: null,
      outcome: null,
      reason: null,
      change_no: changedNow,
    }))
    .where("id", "=", runId)
    .returning(openRunColumns)
    .executeTakeFirstOrThrow();
}

/** Closes a planned run that never moved: its start failed. Changes nothing once it has begun or ended. */
export async function failPlannedRun(tx: Tx, runId: string, reason: string, at: Date): Promise<void> {
  await failPlannedRuns(tx, [{ runId, reason }], at);
}

/** The same for many at once, each for its own reason. */
export async function failPlannedRuns(
  tx: Tx,
  failed: readonly { readonly runId: string; readonly reason: string }[],
  at: Date,
): Promise<void> {
  if (failed.length === 0) return;
  await sql`
    update runs r set ended_at = ${at}, outcome = 'FAILED', reason = f.reason, change_no = ${changedNow}
    from unnest(${failed.map(({ runId }) => runId)}::uuid[], ${failed.map(({ reason }) => reason)}::text[]) f (id, reason)
    where r.id = f.id and r.planned and r.began_at is null and r.ended_at is null
  `.execute(tx);
}

/** The group that a robot is in now, as a run keeps it. */
async function groupOf(tx: Tx, robotId: number) {
  return tx
    .selectFrom("robot_group_members as m")
    .innerJoin("robot_groups as g", "g.id", "m.group_id")
    .select(["g.id as group_id", "g.group_name"])
    .where("m.robot_id", "=", robotId)
    .executeTakeFirst();
}

/** Where a planned run was told to have begun, and only now is put on record. */
export type ToldBeginning = Pick<RunBeginning, "at" | "battery">;

/**
 * Closes a run; one that ends before it began by a clock's fault lasted no time. `began` is for a planned run that no
 * state showed moving.
 */
export async function endRun(
  tx: Tx,
  run: Pick<OpenRun, "id" | "planned" | "action_type" | "stop_due_at">,
  end: RunEnd,
  began: ToldBeginning | null = null,
): Promise<void> {
  const plannedEndReached =
    run.stop_due_at !== null && end.at.getTime() >= run.stop_due_at.getTime() - PLANNED_END_TOLERANCE_MS;
  await tx
    .updateTable("runs")
    .set({
      ...(began && {
        began_at: began.at,
        battery_began: began.battery,
        planned_end_at: sql<Date>`stop_due_at`,
      }),
      ended_at: sql<Date>`greatest(${began?.at ?? sql.ref("began_at")}::timestamptz, ${end.at}::timestamptz)`,
      battery_ended: end.battery,
      reason: end.reason,
      outcome: runOutcomeOf({ planned: run.action_type === "SCHEDULED", plannedEndReached }, end.reason),
      change_no: changedNow,
    })
    .where("id", "=", run.id)
    .execute();
}

/** A run that is on record, open or not. */
export async function runById(tx: Tx, runId: string) {
  return tx
    .selectFrom("runs")
    .where("id", "=", runId)
    .select([...openRunColumns, "ended_at"])
    .executeTakeFirst();
}

/** Undoes an end that was only guessed; the robot still moves in this run. */
async function reopen(tx: Tx, runId: string): Promise<OpenRun | null> {
  const reopened = await tx
    .updateTable("runs")
    .set({ ended_at: null, battery_ended: null, outcome: null, reason: null, change_no: changedNow })
    .where("id", "=", runId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("robot_events as e")
            .whereRef("e.robot_id", "=", "runs.robot_id")
            .where("e.kind", "=", "RUN_ENDED")
            .where(sql`e.body ->> 'runId'`, "=", runId)
            .select("e.event_seq"),
        ),
      ),
    )
    .returning(openRunColumns)
    .executeTakeFirst();
  return reopened ?? null;
}

async function startOfRun(tx: Tx, robotId: number, runId: string) {
  return tx
    .selectFrom("commands")
    .where("robot_id", "=", robotId)
    .where("verb", "=", "START")
    .where("run_id", "=", runId)
    .select([
      "id",
      "user_id",
      "requested_by",
      "action_type",
      "max_duration_s",
      "site_id",
      "serial_number",
      "robot_name",
    ])
    .executeTakeFirst();
}

/** A run that is told late stays at the site, and with the names, of its START: its robot may have moved since. */
function placeOf(start: Awaited<ReturnType<typeof startOfRun>>, siteId: number) {
  if (start === undefined) return { site_id: siteId };
  const { site_id, serial_number, robot_name } = start;
  return { site_id, serial_number, robot_name };
}

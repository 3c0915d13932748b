import { sql } from "kysely";
import type { RunEndReason } from "@suncrew/contract/devices/messages.ts";
import { runOutcomeOf } from "@suncrew/domain/runs/run-outcome.ts";
import { v7 as uuidv7 } from "uuid";
import type { Tx } from "../../platform/database/database.ts";

export interface OpenRun {
  readonly id: string;
  readonly robot_id: number;
  readonly command_id: string | null;
  readonly planned: boolean;
  readonly began_at: Date;
  readonly planned_end_at: Date | null;
}

export interface RunBeginning {
  readonly robotId: number;
  readonly siteId: number;
  /** As the robot names it; null where it has no name for it. */
  readonly runId: string | null;
  readonly at: Date;
  readonly battery: number;
}

/** The open runs of these robots, by robot. */
export async function openRunsOf(tx: Tx, robotIds: readonly number[]): Promise<Map<number, OpenRun>> {
  const rows = await tx
    .selectFrom("runs")
    .where("ended_at", "is", null)
    .where("robot_id", "=", sql<number>`any(${[...robotIds]}::int[])`)
    .select(["id", "robot_id", "command_id", "planned", "began_at", "planned_end_at"])
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
  if (known?.robot_id === beginning.robotId) return reopen(tx, known.id);
  return insertRun(tx, beginning, null);
}

/** Puts a run on record, over already where `end` is given. Its name must not be taken by this robot. */
export async function insertRun(tx: Tx, beginning: RunBeginning, end: RunEnd | null): Promise<OpenRun> {
  const { robotId, siteId, runId, at, battery } = beginning;
  const start = runId === null ? undefined : await startOfRun(tx, robotId, runId);
  const nameTaken = runId !== null && (await runById(tx, runId)) !== undefined;
  const planned = start?.action_type === "SCHEDULED";
  return tx
    .insertInto("runs")
    .values({
      id: runId === null || nameTaken ? uuidv7() : runId,
      robot_id: robotId,
      site_id: siteId,
      command_id: start?.id ?? null,
      planned,
      started_by_user_id: start?.user_id ?? null,
      started_by: start?.requested_by ?? "Robot",
      began_at: at,
      battery_began: battery,
      planned_end_at: start?.max_duration_s ? new Date(at.getTime() + start.max_duration_s * 1_000) : null,
      ...(end && {
        ended_at: end.at < at ? at : end.at,
        battery_ended: end.battery,
        reason: end.reason,
        outcome: runOutcomeOf({ planned }, end.reason),
      }),
    })
    .returning(["id", "robot_id", "command_id", "planned", "began_at", "planned_end_at"])
    .executeTakeFirstOrThrow();
}

/** Closes a run; one that ends before it began by a clock's fault lasted no time. */
export async function endRun(tx: Tx, run: Pick<OpenRun, "id" | "planned">, end: RunEnd): Promise<void> {
  await tx
    .updateTable("runs")
    .set({
      ended_at: sql<Date>`greatest(began_at, ${end.at}::timestamptz)`,
      battery_ended: end.battery,
      reason: end.reason,
      outcome: runOutcomeOf(run, end.reason),
    })
    .where("id", "=", run.id)
    .execute();
}

/** A run that is on record, open or not. */
export async function runById(tx: Tx, runId: string) {
  return tx
    .selectFrom("runs")
    .where("id", "=", runId)
    .select(["id", "robot_id", "command_id", "planned", "began_at", "planned_end_at", "ended_at"])
    .executeTakeFirst();
}

/** Undoes an end that was only guessed; the robot still moves in this run. */
async function reopen(tx: Tx, runId: string): Promise<OpenRun | null> {
  const reopened = await tx
    .updateTable("runs")
    .set({ ended_at: null, battery_ended: null, outcome: null, reason: null })
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
    .returning(["id", "robot_id", "command_id", "planned", "began_at", "planned_end_at"])
    .executeTakeFirst();
  return reopened ?? null;
}

async function startOfRun(tx: Tx, robotId: number, runId: string) {
  return tx
    .selectFrom("commands")
    .where("robot_id", "=", robotId)
    .where("verb", "=", "START")
    .where("run_id", "=", runId)
    .select(["id", "user_id", "requested_by", "action_type", "max_duration_s"])
    .executeTakeFirst();
}

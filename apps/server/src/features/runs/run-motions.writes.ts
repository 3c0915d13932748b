import { sql } from "kysely";
import type { StateMessage } from "@suncrew/contract/devices/messages.ts";
import type { Tx } from "../../platform/database/database.ts";
import { likelyEndReason } from "./run-end-reason.ts";
import { beginRun, endRun, openRunsOf, type OpenRun } from "./run-rows.writes.ts";

/** A live state of a robot's current session, as far as runs look at it. */
export interface MotionShown extends Pick<StateMessage, "motion" | "runId" | "battery" | "lastSeq" | "status"> {
  readonly robotId: number;
  readonly siteId: number;
  readonly receivedAt: Date;
  /** The robot was away, or in another session, before this state. */
  readonly wasAway: boolean;
}

/** Every motion has a row: begins and ends runs by what the states show, in their order. Answers whose runs changed. */
export async function recordMotions(tx: Tx, shown: readonly MotionShown[]): Promise<Set<number>> {
  const changed = new Set<number>();
  if (shown.length === 0) return changed;
  const open = await openRunsOf(tx, [...new Set(shown.map(({ robotId }) => robotId))]);
  for (const state of shown) {
    const run = open.get(state.robotId);
    if (run && state.motion === "MOVING" && isSameRun(run, state.runId)) continue;
    if (run) {
      await endAsShown(tx, run, state);
      open.delete(state.robotId);
      changed.add(state.robotId);
    }
    if (state.motion === "STOPPED") continue;
    const began = await beginRun(tx, { ...state, at: state.receivedAt });
    if (began) {
      open.set(state.robotId, began);
      changed.add(state.robotId);
    }
  }
  return changed;
}

/** A motion without a name goes on with the run that was started at the robot. */
function isSameRun(run: OpenRun, runId: string | null): boolean {
  return runId === null ? run.command_id === null : run.id === runId;
}

async function endAsShown(tx: Tx, run: OpenRun, state: MotionShown): Promise<void> {
  const reason = likelyEndReason({
    stoppedBy: await takenStopOf(tx, run, state.lastSeq),
    deviceStatus: state.status,
    wasAway: state.wasAway,
    plannedEndAt: run.planned_end_at,
    endedAt: state.receivedAt,
  });
  await endRun(tx, run, { at: state.receivedAt, battery: state.battery, reason });
}

async function takenStopOf(tx: Tx, run: OpenRun, lastSeq: number): Promise<"STOP" | "MAINTENANCE_ON" | null> {
  const stop = await tx
    .selectFrom("commands")
    .where("robot_id", "=", run.robot_id)
    .where("verb", "in", ["STOP", "MAINTENANCE_ON"])
    .where("issued_at", ">=", run.began_at ?? new Date(0))
    .where("seq", "<=", lastSeq)
    .select(sql<"STOP" | "MAINTENANCE_ON">`verb`.as("verb"))
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return stop?.verb ?? null;
}

import type { StateMessage } from "@suncrew/contract/devices/messages.ts";
import { type RobotBudget, unlimited } from "@suncrew/domain/devices/robot-budget.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { likelyEndReason } from "./run-end-reason.ts";
import { beginRuns, endRuns, type OpenRun, openRunsOf } from "./run-rows.repository.ts";
import { turnsOf } from "./turns.ts";

/** A live state of a robot's current session, as far as runs look at it. */
export interface MotionShown extends Pick<StateMessage, "motion" | "runId" | "battery" | "lastSeq" | "status"> {
  readonly robotId: number;
  readonly siteId: number;
  readonly receivedAt: Date;
  /** The robot was away, or in another session, before this state. */
  readonly wasAway: boolean;
}

/**
 * Every motion has a row: begins and ends runs by what the states show, in their order, those of many robots at once.
 * Past a robot's budget only those of STARTs. Answers whose runs changed.
 */
export async function recordMotions(
  tx: Tx,
  shown: readonly MotionShown[],
  budget: RobotBudget = unlimited,
): Promise<Set<number>> {
  const changed = new Set<number>();
  if (shown.length === 0) return changed;
  const open = await openRunsOf(tx, [...new Set(shown.map(({ robotId }) => robotId))]);
  for (const turn of turnsOf(shown)) {
    const news = turn.filter((state) => !goesOn(open.get(state.robotId), state));
    const over = news.flatMap((state) => {
      const run = open.get(state.robotId);
      return run ? [{ run, state }] : [];
    });
    await endAsShown(tx, over);
    for (const { run } of over) {
      open.delete(run.robot_id);
      changed.add(run.robot_id);
    }
    const moving = news.filter(({ motion }) => motion === "MOVING");
    const began = await beginRuns(
      tx,
      moving.map((state) => ({ ...state, at: state.receivedAt })),
      budget,
    );
    for (const run of began) {
      open.set(run.robot_id, run);
      changed.add(run.robot_id);
    }
  }
  return changed;
}

/** A motion without a name goes on with the run that was started at the robot. */
function goesOn(run: OpenRun | undefined, { motion, runId }: MotionShown): boolean {
  if (run === undefined || motion !== "MOVING") return false;
  return runId === null ? run.command_id === null : run.id === runId;
}

interface Over {
  readonly run: OpenRun;
  readonly state: MotionShown;
}

async function endAsShown(tx: Tx, over: readonly Over[]): Promise<void> {
  const stops = await takenStopsOf(tx, over);
  const ends = over.map(({ run, state }) => {
    const reason = likelyEndReason({
      stoppedBy: stops.get(run.robot_id) ?? null,
      deviceStatus: state.status,
      wasAway: state.wasAway,
      plannedEndAt: run.planned_end_at,
      endedAt: state.receivedAt,
    });
    return { run, end: { at: state.receivedAt, battery: state.battery, reason } };
  });
  await endRuns(tx, ends);
}

/** The newest STOP or lock that each robot has taken since its run began, by robot. */
async function takenStopsOf(tx: Tx, over: readonly Over[]): Promise<Map<number, "STOP" | "MAINTENANCE_ON">> {
  if (over.length === 0) return new Map();
  const asked = over.map(({ run, state }) => ({
    robot_id: run.robot_id,
    since: run.began_at ?? new Date(0),
    last_seq: state.lastSeq,
  }));
  const { rows } = await sql<{ robot_id: number; verb: "STOP" | "MAINTENANCE_ON" }>`
    select n.robot_id, stop.verb
    from json_to_recordset(${JSON.stringify(asked)}::json) n (robot_id int, since timestamptz, last_seq bigint)
    cross join lateral (
      select c.verb from commands c
      where c.robot_id = n.robot_id and c.verb in ('STOP', 'MAINTENANCE_ON') and c.issued_at >= n.since
        and c.seq <= n.last_seq
      order by c.seq desc limit 1) stop`.execute(tx);
  return new Map(rows.map(({ robot_id, verb }) => [robot_id, verb]));
}

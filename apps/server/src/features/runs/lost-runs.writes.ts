import { sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";

/** Rule 4: a robot without its broker stands after this long; and a little more for what its clock may differ. */
const STANDS_AFTER = sql`interval '300 seconds'`;
const SURELY_AFTER = sql`interval '360 seconds'`;

/** Open runs of robots that are away and should have ended long ago. */
export async function findLostRuns(db: Db, now: Date): Promise<{ id: string; robot_id: number }[]> {
  const { rows } = await sql<{ id: string; robot_id: number }>`
    select r.id, r.robot_id from runs r join robot_state s on s.robot_id = r.robot_id
    where ${isLost(now)} limit 500
  `.execute(db);
  return rows;
}

/**
 * Closes the run of a robot that did not come back, under the lock on the robot. It ended when the robot stood at the
 * latest by rule 4; what the robot tells when it returns after all corrects it. False where it is back, or closed.
 */
export async function closeLostRun(tx: Tx, runId: string, now: Date): Promise<boolean> {
  const closed = await sql`
    update runs r set
      ended_at = greatest(r.began_at, least(coalesce(r.stop_due_at, r.planned_end_at), coalesce(s.live_at, r.began_at) + ${STANDS_AFTER})),
      outcome = 'CUT_SHORT', reason = 'LINK_LOST', change_no = pg_current_xact_id()
    from robot_state s
    where s.robot_id = r.robot_id and r.id = ${runId} and ${isLost(now)}
  `.execute(tx);
  return (closed.numAffectedRows ?? 0n) > 0n;
}

/** Closes what robots that are deleted have open: a run that has begun ended when its robot stood, others never came. */
export async function closeRunsOfRemoved(
  tx: Tx,
  robotIds: readonly number[],
  reason: string,
  now: Date,
): Promise<void> {
  await sql`
    update runs r set
      ended_at = case when r.began_at is null then ${now} else greatest(r.began_at,
        least(${now}, coalesce(r.stop_due_at, r.planned_end_at), coalesce(s.live_at, r.began_at) + ${STANDS_AFTER})) end,
      outcome = case when r.began_at is null then 'FAILED' else 'CUT_SHORT' end,
      reason = case when r.began_at is null then ${reason} else 'LINK_LOST' end,
      change_no = pg_current_xact_id()
    from robot_state s
    where s.robot_id = r.robot_id and r.robot_id = any(${[...robotIds]}::int[]) and r.ended_at is null
  `.execute(tx);
}

function isLost(now: Date) {
  return sql<boolean>`r.ended_at is null and r.began_at is not null and not s.online
    and coalesce(r.stop_due_at, r.planned_end_at) + ${SURELY_AFTER} < ${now}`;
}

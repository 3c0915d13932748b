import { STOPPED_MARGIN_MS } from "@suncrew/domain/commands/limits.ts";
import { DEFAULT_MOTION_LIMITS, type MotionLimits } from "@suncrew/domain/robots/lost-while-moving.ts";
import { sql } from "kysely";
import type { Db, Tx } from "../../platform/database/database.ts";
import type { SeenAt } from "../sites/public.ts";
import { logRunEnds } from "./log-run-ends.repository.ts";

/** When the run `r` is to end by its START; null where it began at the robot itself, and nobody knows. */
const KNOWN_END = sql`coalesce(r.stop_due_at, r.planned_end_at)`;
/** Rule 4: when it is over at the latest; what began at the robot lasts no longer than any run may. */
const latestEnd = ({ longestRunMs }: MotionLimits) => sql`coalesce(${KNOWN_END}, r.began_at + ${span(longestRunMs)})`;
/** When the broker said that it had lost the robot `s`; null where it did not. */
const LOST_AT = sql`case when s.connection in ('OFFLINE', 'CONNECTION_BROKEN') then s.connection_at end`;
/** When the robot stood at the latest, having lost its broker after it was last heard of. */
const stoodAt = (limits: MotionLimits) =>
  sql`least(${latestEnd(limits)}, greatest(coalesce(s.live_at, r.began_at), ${LOST_AT}) + ${span(limits.withoutBrokerMs)})`;

function span(ms: number) {
  return sql`interval '1 millisecond' * ${sql.lit(ms)}`;
}

/** Open runs of robots that are away and should have ended long ago. */
export async function findLostRuns(db: Db, at: SeenAt): Promise<{ id: string; robot_id: number }[]> {
  const { rows } = await sql<{ id: string; robot_id: number }>`
    select r.id, r.robot_id from runs r join robot_state s on s.robot_id = r.robot_id
    where ${isLost(at)} limit 500
  `.execute(db);
  return rows;
}

/**
 * Closes the run of a robot that did not come back, under the lock on the robot. It ended when the robot stood at the
 * latest by rule 4; what the robot tells when it returns after all corrects it. False where it is back, or closed.
 */
export async function closeLostRun(tx: Tx, runId: string, at: SeenAt): Promise<boolean> {
  const closed = await sql`
    update runs r set
      ended_at = greatest(r.began_at, ${stoodAt(at.limits)}),
      outcome = 'CUT_SHORT', reason = 'LINK_LOST', change_no = pg_current_xact_id()
    from robot_state s
    where s.robot_id = r.robot_id and r.id = ${runId} and ${isLost(at)}
  `.execute(tx);
  const isClosed = (closed.numAffectedRows ?? 0n) > 0n;
  if (isClosed) await logRunEnds(tx, [runId]);
  return isClosed;
}

/** Closes what robots that are deleted have open: a run that has begun ended when its robot stood, others never came. */
export async function closeRunsOfRemoved(
  tx: Tx,
  robotIds: readonly number[],
  reason: string,
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update runs r set
      ended_at = case when r.began_at is null then ${now} else greatest(r.began_at,
        least(${now}, ${stoodAt(DEFAULT_MOTION_LIMITS)})) end,
      outcome = case when r.began_at is null then 'FAILED' else 'CUT_SHORT' end,
      reason = case when r.began_at is null then ${reason} else 'LINK_LOST' end,
      change_no = pg_current_xact_id()
    from robot_state s
    where s.robot_id = r.robot_id and r.robot_id = any(${[...robotIds]}::int[]) and r.ended_at is null
    returning r.id
  `.execute(tx);
  await logRunEnds(
    tx,
    rows.map(({ id }) => id),
  );
}

/** One that began at the robot waits for no end that is known: it is over once the robot stood without its broker. */
function isLost({ now, brokerConnected, limits }: SeenAt) {
  const surely = span(limits.withoutBrokerMs + STOPPED_MARGIN_MS);
  return sql<boolean>`r.ended_at is null and r.began_at is not null and not s.online
    and (${latestEnd(limits)} + ${surely} < ${now}
      or (${brokerConnected} and ${KNOWN_END} is null and ${LOST_AT} + ${surely} < ${now}))`;
}

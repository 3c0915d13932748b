import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** What undoes a START that is decided later than a person asked for it: a wrong START is worse than a missing one. */
export interface StartGuard {
  /** Refused where a STOP or a lock, by whomever, has a higher number than this (protocol rule 3). */
  readonly afterSeq: number;
  /** Asked under the lock: its caller has given up or is about to, and nobody expects the robot to move any more. */
  readonly isTooLate?: () => boolean;
}

export type GuardRefusal = "stopped-since" | "locked-since" | "too-late";

interface Guarded {
  readonly robot: { readonly id: number };
  readonly order: { readonly verb: string; readonly unless?: StartGuard };
}

/** Why STARTs of robots that this transaction has locked come too late, by robot. */
export async function guardRefusals(tx: Tx, asked: readonly Guarded[]): Promise<Map<number, GuardRefusal>> {
  const refusals = new Map<number, GuardRefusal>();
  const guards = asked.flatMap(({ robot, order: { verb, unless } }) => {
    return verb === "START" && unless !== undefined ? [{ robotId: robot.id, ...unless }] : [];
  });
  if (guards.length === 0) return refusals;
  for (const { robotId, isTooLate } of guards) {
    if (isTooLate?.() === true) refusals.set(robotId, "too-late");
  }
  const { rows } = await sql<{ robot_id: number; verb: string }>`
    select distinct on (c.robot_id) c.robot_id, c.verb
    from commands c
    join unnest(${guards.map(({ robotId }) => robotId)}::int[], ${guards.map(({ afterSeq }) => afterSeq)}::bigint[])
      g (robot_id, seq) on g.robot_id = c.robot_id and c.seq > g.seq
    where c.verb in ('STOP', 'MAINTENANCE_ON')
    order by c.robot_id, c.seq desc
  `.execute(tx);
  for (const { robot_id, verb } of rows) refusals.set(robot_id, verb === "STOP" ? "stopped-since" : "locked-since");
  return refusals;
}
